package main

import (
	"encoding/json"
	"fmt"
	"go/build"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// modules finds the modules of one release.
type modules struct {
	// dir returns the folder of a module.
	dir func(module string) (string, error)
	// known are the folders that were found before.
	known map[string]string
}

// pinnedModules are those in go.mod.
func pinnedModules() *modules {
	return &modules{known: map[string]string{}, dir: download}
}

// releasedModules are those of a Kubernetes release, from the Go proxy.
func releasedModules(release string) (*modules, error) {
	kubernetes, err := download("k8s.io/kubernetes@v" + release)
	if err != nil {
		return nil, err
	}
	text, err := exec.Command("go", "mod", "edit", "-json", filepath.Join(kubernetes, "go.mod")).Output()
	if err != nil {
		return nil, fmt.Errorf("go mod edit: %w", err)
	}
	var mod struct {
		Require []struct{ Path, Version string }
		Replace []struct{ Old struct{ Path string } }
	}
	if err := json.Unmarshal(text, &mod); err != nil {
		return nil, err
	}
	versions := map[string]string{"k8s.io/kubernetes": "v" + release}
	for _, required := range mod.Require {
		versions[required.Path] = required.Version
	}
	// The staging modules: 1.38.0 is published as 0.38.0.
	for _, staged := range mod.Replace {
		versions[staged.Old.Path] = "v0" + strings.TrimPrefix(release, "1")
	}
	return &modules{known: map[string]string{}, dir: func(module string) (string, error) {
		if versions[module] == "" {
			return "", fmt.Errorf("%s: not required by Kubernetes %s", module, release)
		}
		return download(module + "@" + versions[module])
	}}, nil
}

// download downloads a module, in the version that go.mod selects unless it names one, and returns its folder.
func download(module string) (string, error) {
	// The output contains the proxy's answer even if it is an error.
	output, err := exec.Command("go", "mod", "download", "-json", module).Output()
	var answer struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(output, &answer); jsonErr != nil {
		return "", fmt.Errorf("go mod download %s: %w", module, err)
	}
	if answer.Error != "" {
		return "", fmt.Errorf("go mod download %s: %s", module, answer.Error)
	}
	return answer.Dir, nil
}

var majorVersion = regexp.MustCompile(`^v\d+$`)

// find returns the path of a file that an `Upstream:` line names.
func (m *modules) find(file string) (string, error) {
	module, rest := "", file
	switch parts := strings.SplitN(file, "/", 3); {
	case parts[0] == "pkg" || parts[0] == "cmd" || parts[0] == "plugin":
		module = "k8s.io/kubernetes"
	case len(parts) == 3 && strings.Contains(parts[0], "."):
		module, rest = parts[0]+"/"+parts[1], parts[2]
	case len(parts) > 1:
		return filepath.Join(build.Default.GOROOT, "src", file), nil
	}
	if strings.HasPrefix(module, "github.com/") || strings.HasPrefix(module, "golang.org/") {
		parts := strings.SplitN(file, "/", 5)
		// Owner and name, and the major version if there is one.
		length := 3
		if majorVersion.MatchString(parts[3]) {
			length = 4
		}
		module, rest = strings.Join(parts[:length], "/"), strings.Join(parts[length:], "/")
	}
	if m.known[module] == "" {
		dir, err := m.dir(module)
		if err != nil {
			return "", err
		}
		m.known[module] = dir
	}
	return filepath.Join(m.known[module], rest), nil
}
