package world

// kind is a sort of world: how it begins, and what can happen in it.
type kind struct {
	name  string
	steps int
	// pods tells whether there are pods; otherwise the statuses of ReplicaSets change on their own.
	pods bool
	// refuses tells whether the API server refuses some writes, and verbs tells which ones; none means all.
	refuses bool
	verbs   []string
	initial func(*World)
	actions []action
}

// most returns the maximum number of pods of a Deployment.
func (k kind) most() int32 {
	if k.name == "pods-many" {
		return 80
	}
	return 10
}

type action struct {
	weight int
	act    func(*World)
}

var usual []action

func init() {
	usual = []action{{6, scale}, {5, rollOut}, {2, rollBack}, {1, pause}, {1, tune}, {1, annotate}}
}

func with(actions ...action) []action { return append(append([]action(nil), usual...), actions...) }

var kinds []kind

func init() {
	kinds = []kind{
		{name: "scale", steps: 20, initial: one(small), actions: []action{{8, scale}, {1, rollOut}, {1, tune}}},
		{name: "rolling", steps: 25, initial: one(small), actions: []action{{1, scale}, {4, rollOut}, {1, rollBack}, {1, tune}}},
		{name: "rollover", steps: 25, initial: one(small), actions: []action{{2, scale}, {8, rollOut}, {2, rollBack}, {1, tune}}},
		{name: "proportional", steps: 25, initial: one(large), actions: []action{{8, scale}, {4, rollOut}, {1, pause}, {1, tune}}},
		{name: "huge", steps: 20, initial: one(huge), actions: []action{{8, scale}, {4, rollOut}, {2, tune}}},
		{name: "paused", steps: 25, initial: one(small), actions: []action{{6, pause}, {3, scale}, {3, rollOut}, {1, rollBackTo}, {1, tune}}},
		{name: "recreate", steps: 25, initial: one(recreating), actions: usual},
		{name: "recreate-pods", steps: 20, pods: true, initial: one(recreating), actions: with(action{3, podTrouble})},
		{name: "history", steps: 30, initial: one(forgetful), actions: []action{{8, rollOut}, {3, rollBack}, {1, scale}, {2, tune}, {1, pause}, {1, bendRevision}}},
		{name: "deadline", steps: 25, initial: one(hurried), actions: []action{{3, scale}, {4, rollOut}, {2, pause}, {2, tune}}},
		{name: "rollback-to", steps: 25, initial: one(small), actions: []action{{6, rollBackTo}, {6, rollOut}, {1, scale}, {2, bendAnnotations}}},
		{name: "annotations", steps: 25, initial: one(small), actions: with(action{8, bendAnnotations}, action{3, annotate})},
		{name: "collision", steps: 15, initial: one(small), actions: with(action{8, collide})},
		{name: "adoption", steps: 25, initial: one(small), actions: with(action{5, orphan}, action{4, relabelSet}, action{2, addStrayset}, action{1, removeSet}, action{1, keepDeleted})},
		{name: "deleted", steps: 25, pods: true, initial: one(tiny), actions: with(action{4, remove}, action{4, recreate}, action{1, podTrouble}, action{2, relabelPod}, action{2, relabelSet}, action{2, keepDeleted})},
		{name: "canary", steps: 15, initial: canary, actions: with(action{2, orphan})},
		{name: "overlap", steps: 12, initial: overlap, actions: with(action{2, orphan})},
		{name: "autoscaled", steps: 25, initial: one(small), actions: []action{{8, autoscale}, {3, reapply}, {3, rollOut}, {1, pause}, {1, tune}}},
		{name: "stale", steps: 25, initial: one(small), actions: with(action{10, staleStatus})},
		{name: "odd", steps: 20, initial: one(small), actions: with(action{6, bendSpec}, action{3, bendAnnotations}, action{3, staleStatus})},
		{name: "refused", steps: 20, refuses: true, initial: one(small), actions: with(action{3, orphan}, action{1, rollBackTo}, action{2, collide}, action{3, relabelSet}, action{1, addStrayset})},
		{name: "adoption-refused", steps: 20, refuses: true, initial: one(small), actions: with(action{5, relabelSet}, action{5, orphan})},
		{name: "pods-adoption-refused", steps: 15, refuses: true, verbs: []string{"patch"}, pods: true, initial: one(tiny), actions: with(action{8, relabelPod}, action{5, strayPod})},
		{name: "paused-refused", steps: 20, refuses: true, initial: one(forgetful), actions: with(action{3, pause}, action{6, rollOut})},
		{name: "recreate-refused", steps: 20, refuses: true, initial: one(recreating), actions: with(action{4, rollOut})},
		{name: "pods", steps: 15, pods: true, initial: one(tiny), actions: with()},
		{name: "pods-trouble", steps: 18, pods: true, initial: one(tiny), actions: with(action{10, podTrouble})},
		{name: "pods-adoption", steps: 18, pods: true, initial: one(tiny), actions: with(action{5, relabelPod}, action{4, strayPod}, action{2, orphan}, action{2, addStrayset}, action{1, bendSet})},
		{name: "pods-refused", steps: 18, pods: true, refuses: true, initial: one(tiny), actions: with(action{4, relabelPod}, action{2, strayPod}, action{6, scale}, action{1, bendSet}, action{3, podTrouble})},
		{name: "pods-many", steps: 6, pods: true, initial: one(medium), actions: []action{{6, scale}, {2, rollOut}}},
		{name: "pods-cost", steps: 15, pods: true, initial: one(tiny), actions: with(action{8, price}, action{6, scale})},
		{name: "alone", steps: 18, pods: true, initial: standalone, actions: []action{{5, scaleSet}, {3, podTrouble}, {2, relabelPod}, {2, strayPod}, {2, price}, {1, removeSet}, {1, bendSet}}},
		{name: "controllers", steps: 18, pods: true, initial: replicationController, actions: []action{{5, scaleController}, {3, podTrouble}, {2, relabelPod}, {2, strayPod}, {2, price}, {1, removeController}}},
		{name: "release-refused", steps: 20, refuses: true, verbs: []string{"patch"}, initial: one(small), actions: with(action{12, relabelSet}, action{2, orphan})},
		{name: "cleanup-refused", steps: 30, refuses: true, verbs: []string{"delete"}, initial: one(forgetful), actions: []action{{8, rollOut}, {1, scale}, {2, pause}, {2, toRecreate}}},
		{name: "update-refused", steps: 20, refuses: true, verbs: []string{"update", "updateStatus"}, initial: one(recreating), actions: []action{{5, rollOut}, {3, scale}, {2, rollBack}, {2, annotate}, {1, remove}, {1, recreate}}},
		{name: "unlimited", steps: 20, initial: one(large), actions: []action{{5, forgetLimits}, {5, scale}, {3, rollOut}, {2, tune}}},
		{name: "rollback-odd", steps: 20, initial: one(small), actions: []action{{4, rollBackTo}, {4, rollOut}, {3, bendRevision}, {1, bendSpec}}},
		{name: "surge-odd", steps: 15, initial: one(medium), actions: []action{{5, rollOut}, {3, bendSurge}, {1, scale}, {1, tune}}},
		{name: "deleted-refused", steps: 20, refuses: true, verbs: []string{"update", "updateStatus"}, initial: one(tiny), actions: []action{{3, remove}, {6, annotate}, {3, recreate}, {1, rollOut}}},
		{name: "impossible", steps: 20, initial: one(small), actions: with(action{6, negativeCounts}, action{4, futureTimes}, action{3, secondOwner})},
		{name: "impossible-pods", steps: 15, pods: true, initial: one(tiny), actions: with(action{4, negativeCounts}, action{6, futureTimes}, action{6, secondOwner}, action{3, relabelPod}, action{4, scale})},
		{name: "impossible-alone", steps: 15, pods: true, initial: standalone, actions: []action{{5, scaleSet}, {3, negativeCounts}, {5, futureTimes}, {5, secondOwner}, {2, relabelPod}}},
		{name: "controllers-refused", steps: 15, pods: true, refuses: true, initial: replicationController, actions: []action{{6, scaleController}, {1, podTrouble}, {2, relabelPod}, {2, strayPod}}},
	}
}
