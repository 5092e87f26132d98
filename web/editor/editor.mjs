// The editor of manifests: the element <yaml-editor>, which is CodeMirror in a shadow root, where its styles need no style
// element. The page sets `value`, `problems`, `error` and the attribute `maxlength`, and listens to `edit`, and to `toolong`: what the
// user pasted or dropped would make the text too long, and is refused.
import { autocompletion, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyField, historyKeymap, isolateHistory } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { HighlightStyle, bracketMatching, codeFolding, foldGutter, foldKeymap, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, Transaction } from "@codemirror/state";
import { EditorView, drawSelection, dropCursor, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { completeField } from "./completion.mjs";

/** Marks changes that come from the page. */
const fromPage = Annotation.define();

/** The text of the last editor and its history, as JSON. The next editor goes on from there: while there is none, the page may get
 * another text, as from a file that is dropped beside the controls, and that can be undone, too. */
let kept = null;
const KEPT_FIELDS = { history: historyField };

// The colors are the page's: its custom properties reach into the shadow root.
const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", backgroundColor: "var(--paper)", fontSize: "0.8125rem" },
  "&.cm-focused": { outline: "2px solid var(--ink)", outlineOffset: "2px" },
  ".cm-scroller": { fontFamily: 'ui-monospace, "SF Mono", Menlo, Consolas, monospace', lineHeight: "1.45" },
  ".cm-gutters": { backgroundColor: "var(--paper)", color: "var(--mute)", borderRight: "1px solid var(--hair)" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--wash)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--r0-soft)" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--paper)", color: "var(--ink)", border: "1px solid var(--mute)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--ink)", color: "var(--paper)" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.8" },
  ".cm-panel input, .cm-panel button, .cm-panel label": { font: "inherit", color: "inherit" },
  // CodeMirror draws these as images in data: addresses, which the page's policy does not load.
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--over)", textUnderlineOffset: "0.2em" },
  ".cm-lintRange-warning": { backgroundImage: "none", textDecoration: "underline wavy var(--mute)", textUnderlineOffset: "0.2em" },
  ".cm-lint-marker": { width: "0.5em", height: "0.5em", borderRadius: "50%", marginTop: "0.4em" },
  ".cm-lint-marker-error": { content: "normal", backgroundColor: "var(--over)" },
  ".cm-lint-marker-warning": { content: "normal", border: "2px solid var(--mute)" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--over)" },
  ".cm-textfield, .cm-button": { backgroundColor: "var(--paper)", backgroundImage: "none", border: "1px solid var(--mute)" },
});

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content], color: "var(--ink)" },
  { tag: [tags.comment, tags.meta], color: "var(--mute)" },
  { tag: tags.separator, color: "var(--mute)" },
]);

/** The maximum length of a text that has colors and can be folded: for these, CodeMirror parses everything up to the visible place, and
 * blocks the page for tens of milliseconds at a time. After a large text is pasted, that place is its end. */
const MOST_COLORED = 250_000;

/** The maximum length of a text that the page gets in the frame of a change. Reading a longer one takes the page as long as the editor
 * takes to show it, so the page gets it once that frame is drawn. */
const MOST_AT_ONCE = 250_000;

/** The maximum number of levels of nesting of a text that has colors, which is that of a text that the page reads. */
const MOST_LEVELS = 100;

/** More levels than that on one line, as in `- - - a`. */
const DEEP_LINE = new RegExp(`(?:[-?:] +){${MOST_LEVELS + 1}}`);

/** Whether a text is nested so deeply that CodeMirror's parser may block the page. It also counts brackets in strings. */
function isDeep(text) {
  let level = 0;
  for (const bracket of text.match(/[[\]{}]/g) ?? []) {
    level = "[{".includes(bracket) ? level + 1 : Math.max(level - 1, 0);
    if (level > MOST_LEVELS) return true;
  }
  return DEEP_LINE.test(text);
}

const language = new Compartment();
const COLORED = yaml();
const PLAIN = [];
const languageOf = (doc) => (doc.length > MOST_COLORED || isDeep(doc.toString()) ? PLAIN : COLORED);

/** Switches the language off while the text is too long or too deep. */
const limitedLanguage = EditorState.transactionExtender.of((transaction) => {
  if (!transaction.docChanged) return null;
  const next = languageOf(transaction.newDoc);
  return next === language.get(transaction.startState) ? null : { effects: language.reconfigure(next) };
});

class YamlEditor extends HTMLElement {
  #view = null;
  /** The text; null if it changed since somebody asked for it. */
  #text = "";
  /** Whether the page does not know the last change yet. */
  #isUntold = false;
  #problems = [];
  /** What describes the text to a screen reader. An id has no meaning outside of its shadow root. */
  #error = Object.assign(document.createElement("p"), { id: "error", hidden: true });
  /** Before the page's own listeners keep the text. */
  #onLeave = () => this.#tell();

  connectedCallback() {
    for (const event of ["pagehide", "visibilitychange"]) window.addEventListener(event, this.#onLeave, { capture: true });
    if (this.#view) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const changed = EditorView.updateListener.of((update) => {
      if (!update.docChanged || update.transactions.every((transaction) => transaction.annotation(fromPage))) return;
      this.#text = null;
      this.#isUntold = true;
      if (update.state.doc.length > MOST_AT_ONCE) requestAnimationFrame(() => setTimeout(() => this.#tell()));
      else this.#tell();
    });
    // Typing is never refused: the page keeps what is typed. The limit counts bytes, and a text never has fewer bytes than characters.
    const limit = Number(this.getAttribute("maxlength") ?? Infinity);
    const fits = EditorState.changeFilter.of((transaction) => {
      const isInserted = transaction.isUserEvent("input.paste") || transaction.isUserEvent("input.drop");
      const isRefused = isInserted && transaction.changes.newLength > limit;
      if (isRefused) this.dispatchEvent(new CustomEvent("toolong"));
      return !isRefused;
    });
    // A file that is dropped belongs to the page, which knows what to do with it.
    const files = EditorView.domEventHandlers({ drop: ({ dataTransfer }) => dataTransfer?.files.length > 0 });
    const given = this.value;
    const config = {
      extensions: [
        files,
        fits,
        lineNumbers(),
        codeFolding(),
        foldGutter(),
        lintGutter(),
        history(),
        drawSelection(),
        dropCursor(),
        bracketMatching(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        language.of(languageOf(kept?.doc ?? given)),
        limitedLanguage,
        syntaxHighlighting(highlighting),
        autocompletion({ override: [completeField], icons: false }),
        EditorState.tabSize.of(2),
        // Tab leaves the editor, as it leaves every other input.
        keymap.of([...completionKeymap, ...lintKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...defaultKeymap]),
        EditorView.contentAttributes.of(() => ({
          "aria-label": this.getAttribute("aria-label") ?? "",
          spellcheck: "false",
          // The text has the focus anyway; the attribute says so to tools that check what scrolls.
          tabindex: "0",
          ...(this.#error.textContent && { "aria-invalid": "true", "aria-describedby": this.#error.id }),
        })),
        theme,
        changed,
      ],
    };
    const state = kept ? EditorState.fromJSON(kept, config, KEPT_FIELDS) : EditorState.create({ doc: given, ...config });
    this.#view = new EditorView({ state, root, parent: root });
    root.append(this.#error);
    this.#text = state.doc.toString();
    if (given) this.value = given;
    this.#showProblems();
  }

  disconnectedCallback() {
    for (const event of ["pagehide", "visibilitychange"]) window.removeEventListener(event, this.#onLeave, { capture: true });
    this.#tell();
    kept = this.#view?.state.toJSON(KEPT_FIELDS) ?? kept;
    // The page may only have moved it.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#text = this.value;
      this.#view?.destroy();
      this.#view = null;
    });
  }

  /** Tells the page of the last change. */
  #tell() {
    if (!this.#isUntold) return;
    this.#isUntold = false;
    this.dispatchEvent(new CustomEvent("edit"));
  }

  get value() {
    this.#text ??= this.#view.state.doc.toString();
    return this.#text;
  }

  /** Sets the text. Only what differs is replaced, so that the cursor stays where it is. */
  set value(given) {
    const before = this.value;
    if (given === before) return;
    // As the editor breaks lines.
    const text = given.replace(/\r\n?/g, "\n");
    if (text === before) return;
    this.#text = text;
    this.#isUntold = false;
    if (!this.#view) return;
    let from = 0;
    const shortest = Math.min(before.length, text.length);
    while (from < shortest && before[from] === text[from]) from += 1;
    let same = 0;
    while (same < shortest - from && before[before.length - 1 - same] === text[text.length - 1 - same]) same += 1;
    const changes = { from, to: before.length - same, insert: text.slice(from, text.length - same) };
    // Each text from the page is a step of its own to undo, except for the first one.
    const annotations = [fromPage.of(true), isolateHistory.of("full"), Transaction.addToHistory.of(before !== "")];
    this.#view.dispatch({ changes, annotations });
  }

  /** Sets the problems, as JSON: `[{ line, column, severity, message }]`. */
  set problems(json) {
    this.#problems = JSON.parse(json);
    this.#showProblems();
  }

  /** Sets the sentence on the first error; empty if there is none. */
  set error(sentence) {
    this.#error.textContent = sentence;
    // An update writes the attributes.
    this.#view?.dispatch({});
  }

  #showProblems() {
    if (!this.#view) return;
    const { doc } = this.#view.state;
    const diagnostics = this.#problems.map(({ line, column, severity, message }) => {
      const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
      return { from: Math.min(from + column - 1, to), to, severity, message };
    });
    this.#view.dispatch(setDiagnostics(this.#view.state, diagnostics));
  }

  focus() {
    this.#view?.focus();
  }

  /** Selects a line, from 1, and moves the focus there. */
  goToLine(line) {
    if (!this.#view) return;
    const { from, to } = this.#view.state.doc.line(Math.min(Math.max(line, 1), this.#view.state.doc.lines));
    this.#view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
    this.#view.focus();
  }
}

customElements.define("yaml-editor", YamlEditor);
