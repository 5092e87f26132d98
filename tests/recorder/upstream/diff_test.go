package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The core mirrors sync, resync through its call, the default and the gate; it does not mirror unrelated.
const core = `
/// Upstream: ` + "`pkg/controller/job/job_controller.go syncJob`, `DefaultBackOff` and `Controller.enqueue`" + `
fn sync() {}

/// Upstream: ` + "`pkg/apis/batch/v1/defaults.go SetDefaults_Job`" + `
fn defaults() {}
`

const gateTable = `
    (Feature::JobManagedBy, "JobManagedBy", true),
    (Feature::PodDeletionCost, "PodDeletionCost", true),
`

const controller = `package job

const DefaultBackOff = BACKOFF

type Controller struct{}

// syncJob COMMENT
func (jm *Controller) syncJob() string {
	retry()
	return "TEXT"
}

func (jm *Controller) enqueue() {}

func retry() int { return RETRIES }

func unrelated() int { return UNRELATED }
`

const defaults = `package v1

func SetDefaults_Job() int { return DEFAULT }
`

const gates = `package features

var defaultVersionedKubernetesFeatureGates = map[featuregate.Feature]featuregate.VersionedSpecs{
	PodDeletionCost: {{Default: true, PreRelease: featuregate.Beta}},
	GATE
}
`

// release writes the files of a release, and returns its tree. Each value replaces a word in capital letters.
func release(t *testing.T, values ...string) *tree {
	t.Helper()
	folder := t.TempDir()
	replace := strings.NewReplacer(values...)
	write(t, folder, map[string]string{
		"pkg/controller/job/job_controller.go": replace.Replace(controller),
		"pkg/apis/batch/v1/defaults.go":        replace.Replace(defaults),
		gatesFile:                              replace.Replace(gates),
	})
	return newTree(&modules{known: map[string]string{}, dir: func(string) (string, error) { return folder, nil }})
}

func write(t *testing.T, folder string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// reported compares two releases of the tiny upstream.
func reported(t *testing.T, before, after *tree) string {
	t.Helper()
	sources := t.TempDir()
	write(t, sources, map[string]string{"job.rs": core, "feature_gates.rs": gateTable})
	var out strings.Builder
	report(&out, "1.38.0", sources, [2]*tree{before, after})
	return out.String()
}

var pinned = []string{
	"BACKOFF", "10", "COMMENT", "syncs", "TEXT", "Job completed", "UNRELATED", "1", "RETRIES", "3", "DEFAULT", "6",
	"GATE", "JobManagedBy: {{Default: true, PreRelease: featuregate.GA, LockToDefault: true}},",
}

func TestReport(t *testing.T) {
	after := release(t,
		"BACKOFF", "20", "COMMENT", "does a sync", "TEXT", "Job is complete", "UNRELATED", "2", "RETRIES", "5", "DEFAULT", "7",
		"GATE", "",
	)
	text := reported(t, release(t, pinned...), after)
	for _, expected := range []string{
		"3 of 4 mirrored names changed.",
		"## Functions\n\n### pkg/controller/job/job_controller.go syncJob\n\nMirrored in job.rs.",
		"-\treturn \"Job completed\"\n+\treturn \"Job is complete\"\n",
		"## Types, constants and variables\n\n### pkg/controller/job/job_controller.go DefaultBackOff\n",
		"## Defaults\n\n### pkg/apis/batch/v1/defaults.go SetDefaults_Job\n",
		"## Texts\n\npkg/controller/job/job_controller.go syncJob\n    - \"Job completed\"\n",
		"- pkg/controller/job/job_controller.go retry (called, directly or not, by syncJob)\n",
		"- JobManagedBy is gone; it was: on by default, GA, locked\n",
	} {
		if !strings.Contains(text, expected) {
			t.Errorf("%q is missing in:\n%s", expected, text)
		}
	}
	for _, unexpected := range []string{"unrelated", "enqueue", "does a sync", "PodDeletionCost"} {
		if strings.Contains(text, unexpected) {
			t.Errorf("%q should not be in:\n%s", unexpected, text)
		}
	}
}

func TestReportOfTheSameRelease(t *testing.T) {
	again := append([]string{"COMMENT", "does the same"}, pinned...)
	text := reported(t, release(t, pinned...), release(t, again...))
	if !strings.Contains(text, "0 of 4 mirrored names changed.") || strings.Contains(text, "\n- ") {
		t.Error(text)
	}
}

func TestReportOfWhatIsGone(t *testing.T) {
	after := release(t, pinned...)
	folder, err := after.modules.dir("")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(folder, "pkg/apis/batch/v1/defaults.go")); err != nil {
		t.Fatal(err)
	}
	write(t, folder, map[string]string{"pkg/controller/job/job_controller.go": "package job\n\nfunc syncJob() {}\n"})
	text := reported(t, release(t, pinned...), after)
	for _, expected := range []string{
		"pkg/apis/batch/v1/defaults.go SetDefaults_Job: the file is gone\n",
		"pkg/controller/job/job_controller.go DefaultBackOff: gone\n",
		"pkg/controller/job/job_controller.go Controller.enqueue: gone\n",
	} {
		if !strings.Contains(text, expected) {
			t.Errorf("%q is missing in:\n%s", expected, text)
		}
	}
}
