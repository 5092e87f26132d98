package controllers

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // registers the gates
)

// SetGates sets gates until the returned function is called, which restores their defaults.
func SetGates(gates map[string]bool) func() {
	gate := utilfeature.DefaultMutableFeatureGate
	if err := gate.SetFromMap(gates); err != nil {
		panic(err)
	}
	return func() {
		for name := range gates {
			if err := gate.ResetFeatureValueToDefault(featuregate.Feature(name)); err != nil {
				panic(err)
			}
		}
	}
}
