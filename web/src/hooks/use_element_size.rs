use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};
use yew::{NodeRef, hook, use_effect_with, use_state_eq};

/// The size of an element in pixels.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ElementSize {
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// The size of an element; zero before it is laid out.
#[hook]
pub fn use_element_size(element: &NodeRef) -> ElementSize {
    let size = use_state_eq(ElementSize::default);
    let setter = size.setter();
    use_effect_with(element.clone(), move |element| {
        let element = element.cast::<Element>();
        let measured = element.clone();
        let measure: Closure<dyn FnMut()> = Closure::new(move || {
            if let Some(element) = &measured {
                let rect = element.get_bounding_client_rect();
                setter.set(ElementSize { width: rect.width(), height: rect.height() });
            }
        });
        let observer = ResizeObserver::new(measure.as_ref().unchecked_ref()).ok();
        if let Some((observer, element)) = observer.as_ref().zip(element.as_ref()) {
            observer.observe(element);
        }
        move || {
            if let Some(observer) = observer {
                observer.disconnect();
            }
            drop(measure);
        }
    });
    *size
}
