package nodes

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"
)

// Timing is how long a pod's steps take. It has the keys of `kubelet` in a Changeover scenario.
type Timing struct {
	// Image is a prefix of the first container's image; an empty one matches all.
	Image    string `json:"image,omitempty"`
	Schedule *Span  `json:"schedule,omitempty"`
	// Pull is how long pulling the images takes; "never" if the first one can't be pulled.
	Pull      *Span `json:"pull,omitempty"`
	Start     *Span `json:"start,omitempty"`
	Ready     *Span `json:"ready,omitempty"`
	Terminate *Span `json:"terminate,omitempty"`
	// Complete is the time until the containers end on their own, if they do.
	Complete *Span `json:"complete,omitempty"`
	// Fail is their exit code, if not 0.
	Fail int32 `json:"fail,omitempty"`
}

// Defaults are the times of a pod without others: short, so that a scenario takes seconds.
var Defaults = Timing{
	Schedule: &Span{Duration: 50 * time.Millisecond}, Pull: &Span{}, Start: &Span{Duration: 300 * time.Millisecond},
	Ready: &Span{Duration: 1200 * time.Millisecond}, Terminate: &Span{Duration: 1500 * time.Millisecond},
}

// jitter is the share by which the times of pods vary.
const jitter = 0.3

// Span is a duration as text, or "never".
type Span struct {
	time.Duration
	Never bool
}

// UnmarshalJSON reads "1.5s" or "never".
func (s *Span) UnmarshalJSON(text []byte) error {
	var word string
	if err := json.Unmarshal(text, &word); err != nil {
		return err
	}
	if word == "never" {
		s.Never = true
		return nil
	}
	duration, err := time.ParseDuration(word)
	s.Duration = duration
	return err
}

// MarshalJSON writes it in the same form.
func (s Span) MarshalJSON() ([]byte, error) {
	if s.Never {
		return json.Marshal("never")
	}
	return json.Marshal(s.String())
}

// of finds the first timing for an image, and fills in the defaults.
func of(timings []Timing, image string) Timing {
	for _, timing := range timings {
		if !strings.HasPrefix(image, timing.Image) {
			continue
		}
		for _, pair := range []struct {
			got   **Span
			other *Span
		}{
			{&timing.Schedule, Defaults.Schedule}, {&timing.Pull, Defaults.Pull}, {&timing.Start, Defaults.Start},
			{&timing.Ready, Defaults.Ready}, {&timing.Terminate, Defaults.Terminate},
		} {
			if *pair.got == nil {
				*pair.got = pair.other
			}
		}
		return timing
	}
	return Defaults
}

// around returns the span, slightly increased or reduced.
func (s *Span) around(random *rand.Rand) Span {
	factor := 1 + jitter*(2*random.Float64()-1)
	return Span{Duration: time.Duration(float64(s.Duration) * factor), Never: s.Never}
}
