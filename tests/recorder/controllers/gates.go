package controllers

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	_ "k8s.io/kubernetes/pkg/features" // registers the gates
)

// SetGates sets the gates that are given, until the returned function is called.
func SetGates(gates map[string]bool) func() {
	before := map[string]bool{}
	for name := range gates {
		for feature := range utilfeature.DefaultMutableFeatureGate.GetAll() {
			if string(feature) == name {
				before[name] = utilfeature.DefaultFeatureGate.Enabled(feature)
			}
		}
	}
	set := func(gates map[string]bool) {
		if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
			panic(err)
		}
	}
	set(gates)
	return func() { set(before) }
}
