package nodes

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"time"
)

// Timing says how long a pod's steps take. It has the keys of `kubelet` in a scenario of Changeover.
type Timing struct {
	// Image is the beginning of the first container's image; empty stands for all.
	Image     string `json:"image,omitempty"`
	Schedule  *Span  `json:"schedule,omitempty"`
	Start     *Span  `json:"start,omitempty"`
	Ready     *Span  `json:"ready,omitempty"`
	Terminate *Span  `json:"terminate,omitempty"`
	// Complete is after how long the containers end by themselves, if they do.
	Complete *Span `json:"complete,omitempty"`
	// Fail is the exit code with which they end, if not 0.
	Fail int32 `json:"fail,omitempty"`
}

// Defaults are the times of a pod that says nothing else: short, so that a scenario takes seconds.
var Defaults = Timing{
	Schedule: &Span{Duration: 50 * time.Millisecond}, Start: &Span{Duration: 300 * time.Millisecond},
	Ready: &Span{Duration: 1200 * time.Millisecond}, Terminate: &Span{Duration: 1500 * time.Millisecond},
}

// jitter is by what share of a time pods differ.
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

// MarshalJSON writes it as it is read.
func (s Span) MarshalJSON() ([]byte, error) {
	if s.Never {
		return json.Marshal("never")
	}
	return json.Marshal(s.String())
}

// of finds the first timing for an image, and fills it up with the defaults.
func of(timings []Timing, image string) Timing {
	for _, timing := range timings {
		if !strings.HasPrefix(image, timing.Image) {
			continue
		}
		for _, pair := range []struct {
			got   **Span
			other *Span
		}{
			{&timing.Schedule, Defaults.Schedule}, {&timing.Start, Defaults.Start},
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

// around is the span, a little more or less.
func (s *Span) around(random *rand.Rand) Span {
	factor := 1 + jitter*(2*random.Float64()-1)
	return Span{Duration: time.Duration(float64(s.Duration) * factor), Never: s.Never}
}
