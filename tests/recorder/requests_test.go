package recorder

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"changeover.dev/recorder/requests"
)

// TestRecordRequests writes the AdmissionReview requests to the folder OUT, one file each.
func TestRecordRequests(t *testing.T) {
	out := outFolder(t)
	synctest.Test(t, func(t *testing.T) {
		// Managed fields and creations contain times.
		time.Sleep(time.Until(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)))
		made, err := requests.Make()
		if err != nil {
			t.Fatal(err)
		}
		for _, request := range made {
			text, err := json.MarshalIndent(request.Review, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(out, request.Name+".json"), append(text, '\n'), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		fmt.Printf("%d requests\n", len(made))
	})
}
