package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
)

const gatesFile = "pkg/features/kube_features.go"

// coreGate matches a line of the core's table of gates.
var coreGate = regexp.MustCompile(`\(Feature::(\w+), "`)

// compareGates prints which gates of the core's table have another default, were locked or are gone, and which gates
// the changed functions now check, or no longer check.
func compareGates(out io.Writer, sources string, changed []change, trees [2]*tree) {
	before, after := gatesOf(trees[0]), gatesOf(trees[1])
	table, err := os.ReadFile(filepath.Join(sources, "feature_gates.rs"))
	if err != nil {
		log.Fatal(err)
	}
	for _, match := range coreGate.FindAllStringSubmatch(string(table), -1) {
		name := match[1]
		was, now := before[name], after[name]
		switch {
		case was == "" && now != "":
			fmt.Fprintf(out, "- %s is new: %s\n", name, now)
		case was != "" && now == "":
			fmt.Fprintf(out, "- %s is gone; it was: %s\n", name, was)
		case was != now:
			fmt.Fprintf(out, "- %s: %s; it was: %s\n", name, now, was)
		}
	}
	asked, dropped := map[string]bool{}, map[string]bool{}
	for _, c := range changed {
		for _, gate := range c.after.gates {
			if !slices.Contains(c.before.gates, gate) {
				asked[gate] = true
			}
		}
		for _, gate := range c.before.gates {
			if !slices.Contains(c.after.gates, gate) {
				dropped[gate] = true
			}
		}
	}
	for _, gate := range slices.Sorted(maps.Keys(asked)) {
		stage := after[gate]
		if stage == "" {
			stage = "a gate of another component"
		}
		fmt.Fprintf(out, "- mirrored functions ask for %s: %s\n", gate, stage)
	}
	for _, gate := range slices.Sorted(maps.Keys(dropped)) {
		fmt.Fprintf(out, "- mirrored functions no longer ask for %s\n", gate)
	}
}

// gatesOf returns the gates of a release, each with its latest entry: its default, its stage, and whether it is locked.
func gatesOf(t *tree) map[string]string {
	path, err := t.modules.find(gatesFile)
	if err != nil {
		log.Fatal(err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		log.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(file, func(node ast.Node) bool {
		spec, ok := node.(*ast.ValueSpec)
		if !ok || spec.Names[0].Name != "defaultVersionedKubernetesFeatureGates" {
			return true
		}
		for _, element := range spec.Values[0].(*ast.CompositeLit).Elts {
			pair := element.(*ast.KeyValueExpr)
			name, ok := pair.Key.(*ast.Ident)
			if !ok {
				// A gate of another component.
				continue
			}
			stages := pair.Value.(*ast.CompositeLit).Elts
			found[name.Name] = stage(stages[len(stages)-1].(*ast.CompositeLit))
		}
		return false
	})
	return found
}

// stage describes an entry such as {Default: true, LockToDefault: true, PreRelease: featuregate.GA}.
func stage(line *ast.CompositeLit) string {
	state, maturity, locked := "off", "", ""
	for _, element := range line.Elts {
		pair := element.(*ast.KeyValueExpr)
		switch value := pair.Value.(type) {
		case *ast.Ident:
			if value.Name == "true" && pair.Key.(*ast.Ident).Name == "Default" {
				state = "on"
			} else if value.Name == "true" {
				locked = ", locked"
			}
		case *ast.SelectorExpr:
			maturity = value.Sel.Name
		}
	}
	return state + " by default, " + maturity + locked
}
