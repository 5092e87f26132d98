package nodes

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	v1 "k8s.io/api/core/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestASpanIsADurationOrNever(t *testing.T) {
	for text, expected := range map[string]Span{
		`"1.5s"`:  {Duration: 1500 * time.Millisecond},
		`"never"`: {Never: true},
	} {
		var span Span
		if err := json.Unmarshal([]byte(text), &span); err != nil || span != expected {
			t.Errorf("%s: %+v, %v", text, span, err)
		}
		again, err := json.Marshal(span)
		if err != nil || string(again) != text {
			t.Errorf("%s is written as %s, %v", text, again, err)
		}
	}
	var span Span
	if err := json.Unmarshal([]byte(`"soon"`), &span); err == nil {
		t.Errorf("soon: %+v", span)
	}
}

func TestTheFirstTimingOfAnImageIsUsed(t *testing.T) {
	never, long := &Span{Never: true}, &Span{Duration: time.Minute}
	timings := []Timing{{Image: "bad:", Ready: never}, {Image: "bad:2", Ready: long}, {Image: "web:", Terminate: long}}
	if bad := of(timings, "bad:2"); bad.Ready != never || bad.Start != Defaults.Start {
		t.Errorf("%+v", bad)
	}
	if web := of(timings, "web:1"); web.Terminate != long || web.Ready != Defaults.Ready {
		t.Errorf("%+v", web)
	}
	if other := of(timings, "api:1"); other != Defaults {
		t.Errorf("%+v", other)
	}
	if timings[2].Ready != nil {
		t.Errorf("the timing itself was changed: %+v", timings[2])
	}
}

func TestTimesVaryWithinTheJitter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	span, different := Span{Duration: time.Second}, map[time.Duration]bool{}
	for range 1000 {
		around := span.around(random).Duration
		if around < 700*time.Millisecond || around > 1300*time.Millisecond {
			t.Fatalf("%v", around)
		}
		different[around] = true
	}
	if len(different) < 100 {
		t.Errorf("only %d different times", len(different))
	}
}

func TestAFailedPullIsReportedAsAKubeletDoes(t *testing.T) {
	pod := &v1.Pod{Spec: v1.PodSpec{Containers: []v1.Container{{Name: "web", Image: "registry.example/web:2"}, {Name: "proxy", Image: "proxy:1"}}}}
	status := waiting(pod, meta.Now(), "ErrImagePull", notFound("registry.example/web:2"))
	expected := `rpc error: code = NotFound desc = failed to pull and unpack image "registry.example/web:2": failed to resolve image: registry.example/web:2: not found`
	if waits := status.ContainerStatuses[0].State.Waiting; status.Phase != v1.PodPending || waits == nil || waits.Message != expected {
		t.Errorf("%+v", status)
	}
	if status.ContainerStatuses[1].State.Running == nil {
		t.Errorf("the other container does not run: %+v", status.ContainerStatuses[1])
	}
	if name := notFound("web:2"); !strings.Contains(name, `"docker.io/library/web:2"`) {
		t.Errorf("%s", name)
	}
}
