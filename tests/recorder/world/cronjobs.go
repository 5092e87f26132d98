package world

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"changeover.dev/recorder/apiserver"
	"changeover.dev/recorder/cases"
	"changeover.dev/recorder/controllers"
)

// cronJobKind is a sort of world with CronJobs.
type cronJobKind struct {
	name    string
	steps   int
	refuses bool
	behind  bool
	pass    []time.Duration
	shape   func(*World, *batchv1.CronJobSpec)
	actions []action
}

const day = 24 * time.Hour

var (
	minutes = []time.Duration{time.Second, 30 * time.Second, time.Minute, time.Minute, 5 * time.Minute}
	hours   = []time.Duration{time.Minute, 20 * time.Minute, time.Hour, 5 * time.Hour}
	days    = []time.Duration{time.Hour, 5 * time.Hour, day, 3 * day, 40 * day}
)

var cronJobKinds = []cronJobKind{
	{name: "allow", steps: 16, pass: minutes, shape: everyMinute, actions: []action{{2, rescheduleCronJob}, {1, suspendCronJob}}},
	{name: "forbid", steps: 16, pass: minutes, shape: policied(batchv1.ForbidConcurrent), actions: []action{{1, removeJob}, {1, rescheduleCronJob}}},
	{name: "replace", steps: 16, pass: minutes, shape: policied(batchv1.ReplaceConcurrent), actions: []action{{1, removeJob}, {1, rescheduleCronJob}}},
	{name: "deadline", steps: 16, pass: append(minutes, hours...), shape: deadlined, actions: []action{{3, moveStartingDeadline}, {1, suspendCronJob}}},
	{name: "missed", steps: 10, pass: days, shape: anySchedule, actions: []action{{2, moveStartingDeadline}, {1, suspendCronJob}}},
	{name: "descriptors", steps: 10, pass: append(hours, days...), shape: described, actions: []action{{1, rescheduleCronJob}}},
	{name: "fields", steps: 10, pass: append(hours, days...), shape: anySchedule, actions: []action{{1, rescheduleCronJob}}},
	{name: "zones", steps: 14, pass: append(hours, days...), shape: zoned, actions: []action{{3, moveZone}, {1, rescheduleCronJob}}},
	{name: "clocks-change", steps: 14, pass: hours, shape: zoned, actions: []action{{1, moveZone}}},
	{name: "history", steps: 18, pass: minutes, shape: kept, actions: []action{{3, moveHistory}}},
	{name: "suspended", steps: 12, pass: append(minutes, hours...), shape: everyMinute, actions: []action{{6, suspendCronJob}}},
	{name: "deleted", steps: 12, pass: minutes, shape: everyMinute, actions: []action{{4, deleteCronJob}, {2, removeJob}}},
	{name: "strays", steps: 16, pass: minutes, shape: anyPolicy, actions: []action{{4, strayJob}, {2, foreignJob}, {2, removeJob}, {2, bendCronJobStatus}}},
	{name: "odd", steps: 12, pass: append(hours, days...), shape: anyPolicy, actions: []action{{5, bendSchedule}, {2, bendCronJobStatus}}},
	{name: "behind", steps: 18, behind: true, pass: minutes, shape: anyPolicy, actions: []action{{2, removeJob}, {1, foreignJob}, {1, deleteCronJob}, {1, strayJob}}},
	{name: "refused", steps: 16, refuses: true, pass: minutes, shape: anyPolicy, actions: []action{{1, removeJob}, {1, moveHistory}}},
}

// RunCronJobs creates the world of CronJobs with this number, lets it evolve, and passes on every sync as a case.
func RunCronJobs(seed uint64, number int, emit func(cases.Case)) {
	shape := cronJobKinds[number%len(cronJobKinds)]
	rng := rand.New(rand.NewPCG(seed, uint64(number)^1<<61))
	time.Sleep(time.Until(Start))
	time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
	w := newCronJobWorld(seed, number, shape.name, rng, emit)
	w.World.kind.refuses, w.World.kind.actions = shape.refuses, shape.actions
	if shape.behind {
		w.cached = w.store.Fork(true, nil, 0)
	}
	if shape.name == "clocks-change" {
		// Start a few hours before a clock change in some time zone.
		change := pick(w.World, clockChanges)
		time.Sleep(time.Until(change.Add(-time.Duration(rng.IntN(30)) * time.Hour)))
	} else if w.chance(50) {
		time.Sleep(time.Duration(rng.IntN(300)) * day)
	}
	w.foundCronJob(shape.shape)
	for range shape.steps {
		w.passCronJobs(shape.pass)
		if shape.behind && w.chance(60) {
			w.cached = w.store.Fork(true, nil, 0)
		} else if shape.behind && w.chance(50) {
			// Jobs arrive by another watch.
			w.cached.TakeOnly(apiserver.Jobs, w.store)
		}
		for range w.between(0, 2) {
			w.act()
		}
		w.runJobs()
		if w.chance(60) {
			w.collectGarbage()
		}
		for range w.between(1, 2) {
			w.syncCronJobs()
		}
	}
	time.Sleep(20 * time.Second)
}

type cronJobWorld struct {
	*World
	// cached is the contents of the caches, where they lag behind.
	cached *apiserver.Store
	// next is the time of the controller's next sync.
	next time.Time
}

func newCronJobWorld(seed uint64, number int, name string, rng *rand.Rand, emit func(cases.Case)) *cronJobWorld {
	return &cronJobWorld{World: &World{
		kind: kind{name: name, pods: true},
		rng:  rng, emit: emit, lost: map[string]bool{},
		store: apiserver.New(rand.New(rand.NewPCG(seed, uint64(number)^3<<61))).ByName(),
		gates: map[string]bool{},
	}}
}

// passCronJobs lets time pass, often until the controller's next sync.
func (w *cronJobWorld) passCronJobs(limits []time.Duration) {
	if time.Now().Before(w.next) && time.Until(w.next) < 400*day && w.chance(50) {
		time.Sleep(time.Until(w.next))
		return
	}
	limit := pick(w.World, limits)
	time.Sleep(time.Duration(w.rng.Int64N(int64(limit/time.Millisecond))) * time.Millisecond)
}

func (w *cronJobWorld) foundCronJob(shape func(*World, *batchv1.CronJobSpec)) {
	cronJob := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "nightly", Namespace: namespace},
		Spec: batchv1.CronJobSpec{Schedule: "* * * * *", JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{
			Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyNever,
				Containers:    []corev1.Container{{Name: "app", Image: "perl"}},
			}},
		}}},
	}
	template := &cronJob.Spec.JobTemplate
	if w.chance(10) {
		cronJob.Name = "nightly-0123456789-0123456789-0123456789-0123456789"
	}
	if w.chance(15) {
		template.Labels = map[string]string{"app": "nightly"}
	}
	if w.chance(15) {
		template.Annotations = map[string]string{"team": "a", batchv1.CronJobScheduledTimestampAnnotation: "never"}
	}
	if w.chance(10) {
		template.Finalizers = []string{"example.org/wait"}
	}
	if w.chance(20) {
		template.Spec.Parallelism = pointer(int32(2))
	}
	if w.chance(10) {
		template.Spec.BackoffLimit = pointer(int32(0))
	}
	if w.chance(10) {
		template.Spec.TTLSecondsAfterFinished = pointer(int32(60))
	}
	shape(w.World, &cronJob.Spec)
	_, _ = w.store.Create(apiserver.CronJobs, namespace, cronJob)
}

func everyMinute(w *World, spec *batchv1.CronJobSpec) {
	spec.Schedule = pick(w, []string{"* * * * *", "*/2 * * * *", "1-59/3 * * * *", "@every 90s", "@every 1m"})
}

func policied(policy batchv1.ConcurrencyPolicy) func(*World, *batchv1.CronJobSpec) {
	return func(w *World, spec *batchv1.CronJobSpec) {
		everyMinute(w, spec)
		spec.ConcurrencyPolicy = policy
	}
}

func anyPolicy(w *World, spec *batchv1.CronJobSpec) {
	policied(pick(w, []batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent}))(w, spec)
	if w.chance(30) {
		spec.StartingDeadlineSeconds = pointer(int64(pick(w, []int{10, 100})))
	}
}

func deadlined(w *World, spec *batchv1.CronJobSpec) {
	everyMinute(w, spec)
	if w.chance(50) {
		spec.Schedule = pick(w, schedules)
	}
	spec.StartingDeadlineSeconds = pointer(pick(w, deadlines))
}

func anySchedule(w *World, spec *batchv1.CronJobSpec) {
	spec.Schedule = pick(w, schedules)
	if w.chance(25) {
		spec.StartingDeadlineSeconds = pointer(pick(w, deadlines))
	}
}

func described(w *World, spec *batchv1.CronJobSpec) { spec.Schedule = pick(w, descriptors) }

func zoned(w *World, spec *batchv1.CronJobSpec) {
	spec.Schedule = pick(w, append([]string{"@daily", "@hourly", "@every 1h", "@weekly", "30 1 * * *", "30 2 * * *", "0 3 * * *", "*/30 0-4 * * *"}, schedules...))
	spec.TimeZone = pointer(pick(w, zones))
}

func kept(w *World, spec *batchv1.CronJobSpec) {
	everyMinute(w, spec)
	spec.SuccessfulJobsHistoryLimit = pointer(int32(w.between(0, 2)))
	spec.FailedJobsHistoryLimit = pointer(int32(w.between(0, 2)))
}

var (
	deadlines = []int64{0, 1, 5, 10, 60, 100, 3600, 90_000, 10_000_000_000}
	schedules = []string{
		"* * * * *", "*/5 * * * *", "0 * * * *", "30 6-16/4 * * 1-5", "0 0 * * *", "15 3 1 * *", "0 12 * * 0", "0 0 13 * 5",
		"0 0 1 1 *", "5 4 * * sun", "0 22 * * 1-5", "23 0-20/2 * * *", "0 0,12 1 */2 *", "0 4 8-14 * *", "0 0 29 2 *",
		"59 23 31 1,3,5 *", "*/7 8 * jan,JUL *", "0 0 ? * MON-FRI", "1,2,3 * * * *", "10-20 5 * * 6", "0 9-17 * * *", "* 9 * * *",
	}
	descriptors = []string{
		"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every 1h30m", "@every 61s", "@every 500ms",
		"@every 36h", "@every 1s", "@every 2.5h", "@every -5m",
	}
	// Zones whose rules have not changed recently, some of them with unusual rules.
	zones = []string{
		"Etc/UTC", "UTC", "Europe/Berlin", "America/New_York", "America/Los_Angeles", "Asia/Kolkata", "Asia/Kathmandu",
		"Australia/Lord_Howe", "America/Santiago", "America/Asuncion", "Africa/Cairo", "Asia/Beirut", "Pacific/Apia",
		"Pacific/Chatham", "America/St_Johns", "Atlantic/Azores", "Antarctica/Troll", "Etc/GMT+12", "Europe/Dublin", "America/Sao_Paulo",
	}
	clockChanges = []time.Time{
		time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC),   // Europe
		time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC),  // Europe
		time.Date(2026, 3, 8, 7, 0, 0, 0, time.UTC),    // New York
		time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC),   // New York
		time.Date(2026, 9, 6, 4, 0, 0, 0, time.UTC),    // Santiago, at midnight
		time.Date(2026, 4, 5, 3, 0, 0, 0, time.UTC),    // Santiago
		time.Date(2026, 4, 4, 15, 0, 0, 0, time.UTC),   // Lord Howe
		time.Date(2026, 10, 3, 15, 30, 0, 0, time.UTC), // Lord Howe
		time.Date(2026, 4, 23, 22, 0, 0, 0, time.UTC),  // Cairo, at midnight
		time.Date(2026, 3, 28, 22, 0, 0, 0, time.UTC),  // Beirut, at midnight
	}
)

func (w *World) changeCronJob(change func(*batchv1.CronJobSpec)) {
	if cronJob, ok := some[*batchv1.CronJob](w, apiserver.CronJobs); ok {
		change(&cronJob.Spec)
		_, _ = w.store.Update(apiserver.CronJobs, namespace, cronJob, "")
	}
}

func rescheduleCronJob(w *World) {
	w.changeCronJob(func(spec *batchv1.CronJobSpec) { spec.Schedule = pick(w, append(descriptors, schedules...)) })
}

func suspendCronJob(w *World) {
	w.changeCronJob(func(spec *batchv1.CronJobSpec) { spec.Suspend = pointer(!*spec.Suspend) })
}

func moveStartingDeadline(w *World) {
	w.changeCronJob(func(spec *batchv1.CronJobSpec) {
		spec.StartingDeadlineSeconds = pointer(pick(w, deadlines))
		if w.chance(20) {
			spec.StartingDeadlineSeconds = nil
		}
	})
}

func moveZone(w *World) {
	w.changeCronJob(func(spec *batchv1.CronJobSpec) { spec.TimeZone = pointer(pick(w, zones)) })
}

func moveHistory(w *World) {
	w.changeCronJob(func(spec *batchv1.CronJobSpec) {
		spec.SuccessfulJobsHistoryLimit = pointer(int32(w.between(0, 2)))
		spec.FailedJobsHistoryLimit = pointer(int32(w.between(0, 2)))
	})
}

func deleteCronJob(w *World) {
	if cronJob, ok := some[*batchv1.CronJob](w, apiserver.CronJobs); ok {
		policy := pick(w, []metav1.DeletionPropagation{
			metav1.DeletePropagationForeground, metav1.DeletePropagationForeground, metav1.DeletePropagationOrphan, metav1.DeletePropagationBackground,
		})
		_ = w.store.Delete(apiserver.CronJobs, namespace, cronJob.Name, metav1.DeleteOptions{PropagationPolicy: &policy})
	}
}

// removeJob deletes a Job, as a user would.
func removeJob(w *World) {
	if job, ok := someJob(w); ok {
		w.store.Remove(apiserver.Jobs, namespace, job.Name)
	}
}

// strayJob creates a Job that the CronJob owns but does not know, like `kubectl create job --from`.
func strayJob(w *World) {
	if cronJob, ok := some[*batchv1.CronJob](w, apiserver.CronJobs); ok {
		name := fmt.Sprintf("%s-manual-%d", cronJob.Name, w.rng.IntN(4))
		if w.chance(40) {
			// The Job that is due.
			name = fmt.Sprintf("%s-%d", cronJob.Name, time.Now().Unix()/60)
		}
		w.createJob(cronJob, name, metav1.NewControllerRef(cronJob, batchv1.SchemeGroupVersion.WithKind("CronJob")))
	}
}

// foreignJob creates a Job with the name of the next one, with another owner or with none.
func foreignJob(w *World) {
	if cronJob, ok := some[*batchv1.CronJob](w, apiserver.CronJobs); ok {
		owner := metav1.NewControllerRef(cronJob, batchv1.SchemeGroupVersion.WithKind("CronJob"))
		owner.UID = "00000000-0000-0000-0000-00000000000a"
		if w.chance(50) {
			owner = nil
		}
		w.createJob(cronJob, fmt.Sprintf("%s-%d", cronJob.Name, time.Now().Unix()/60+int64(w.between(0, 1))), owner)
	}
}

func (w *World) createJob(cronJob *batchv1.CronJob, name string, owner *metav1.OwnerReference) {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace}, Spec: *cronJob.Spec.JobTemplate.Spec.DeepCopy()}
	if owner != nil {
		job.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	_, _ = w.store.Create(apiserver.Jobs, namespace, job)
}

// bendCronJobStatus writes a status that another controller might have left.
func bendCronJobStatus(w *World) {
	cronJob, ok := some[*batchv1.CronJob](w, apiserver.CronJobs)
	if !ok {
		return
	}
	status := &cronJob.Status
	switch w.rng.IntN(8) {
	case 0:
		status.Active = nil
	case 6:
		// A date from the century before last: schedules in which no leap year fits within five years.
		status.LastScheduleTime = pointer(metav1.NewTime(time.Date(1895, 6, 1, 0, 0, 0, 0, time.UTC)))
		cronJob.Spec.Schedule = "0 0 29 2 *"
		if w.chance(70) {
			cronJob.Spec.StartingDeadlineSeconds = pointer(int64(3600))
		}
	case 7:
		// The Job that is due, listed by its uid only.
		name := fmt.Sprintf("%s-%d", cronJob.Name, time.Now().Unix()/60)
		w.createJob(cronJob, name, metav1.NewControllerRef(cronJob, batchv1.SchemeGroupVersion.WithKind("CronJob")))
		if object, err := w.store.Get(apiserver.Jobs, namespace, name); err == nil {
			status.LastScheduleTime = nil
			status.Active = []corev1.ObjectReference{{Kind: "Job", APIVersion: "batch/v1", UID: object.(*batchv1.Job).UID}}
		}
	case 1:
		status.Active = append(status.Active, corev1.ObjectReference{
			Kind: "Job", APIVersion: "batch/v1", Namespace: namespace, Name: fmt.Sprintf("%s-%d", cronJob.Name, time.Now().Unix()/60),
			UID: "00000000-0000-0000-0000-00000000000b",
		})
	case 2:
		status.LastScheduleTime = nil
	case 3:
		status.LastScheduleTime = pointer(metav1.NewTime(time.Now().Add(time.Duration(w.between(-9000, 90)) * time.Minute)))
	case 4:
		status.LastSuccessfulTime = pointer(metav1.NewTime(time.Now().Add(time.Duration(w.between(-90, 9)) * time.Minute)))
	case 5:
		if job, ok := someJob(w); ok {
			status.Active = append(status.Active, corev1.ObjectReference{
				Kind: "Job", APIVersion: "batch/v1", Namespace: namespace, Name: job.Name, UID: job.UID, ResourceVersion: job.ResourceVersion,
			})
		}
	}
	w.store.Put(apiserver.CronJobs, cronJob)
}

// bendSchedule writes a schedule that the API server would not accept, or no longer accepts.
func bendSchedule(w *World) {
	cronJob, ok := some[*batchv1.CronJob](w, apiserver.CronJobs)
	if !ok {
		return
	}
	spec := &cronJob.Spec
	switch w.rng.IntN(3) {
	case 0:
		spec.Schedule = pick(w, []string{
			"", "* * * *", "60 * * * *", "x * * * *", "@often", "@every", "@every 5", "TZ=UTC", "TZ=Mars/Here 0 0 * * *", "*/0 * * * *",
			"59 23 31 2 *", "0 0 30 2 *", ", * * * *", "* * , * *", "0 0 31 4,6 *",
		})
	case 1:
		spec.Schedule = pick(w, []string{
			"TZ=Europe/Berlin 0 3 * * *", "CRON_TZ=America/New_York 30 2 * * *", "TZ=UTC @daily", "TZ=Asia/Kolkata @every 1h",
			"0 0 * * TZ", "TZ=Europe/Berlin  */5 * * * * ",
		})
	case 2:
		spec.Schedule = pick(w, schedules)
	}
	spec.TimeZone = nil
	if w.chance(30) {
		spec.TimeZone = pointer(pick(w, []string{"Mars/Here", "", "../UTC", "Local", "europe/berlin", "Europe/Berlin"}))
	}
	w.store.Put(apiserver.CronJobs, cronJob)
}

// runJobs starts and finishes Jobs.
func (w *cronJobWorld) runJobs() {
	for _, object := range w.store.List(apiserver.Jobs) {
		job := object.DeepCopyObject().(*batchv1.Job)
		if len(job.Status.Conditions) > 0 {
			continue
		}
		chance := w.rng.IntN(100)
		switch {
		case job.Status.StartTime == nil && chance < 85:
			if chance > 3 {
				job.Status.StartTime = pointer(metav1.Now())
			}
			if w.chance(30) {
				w.endJob(job)
			}
		case chance < 50:
			w.endJob(job)
		default:
			continue
		}
		w.store.Put(apiserver.Jobs, job)
	}
}

// endJob sets the conditions of a finished Job.
func (w *World) endJob(job *batchv1.Job) {
	now := metav1.Now()
	add := func(of batchv1.JobConditionType, status corev1.ConditionStatus) {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{Type: of, Status: status, LastTransitionTime: now})
	}
	chance := w.rng.IntN(100)
	if chance < 10 {
		add(batchv1.JobSuspended, corev1.ConditionFalse)
	}
	switch {
	case chance < 60:
		add(batchv1.JobComplete, corev1.ConditionTrue)
		job.Status.CompletionTime = &now
		job.Status.Succeeded = 1
		if w.chance(8) {
			job.Status.CompletionTime = nil
		}
	case chance < 92:
		add(batchv1.JobFailed, corev1.ConditionTrue)
		job.Status.Failed = 1
	case chance < 96:
		add(batchv1.JobFailed, corev1.ConditionTrue)
		add(batchv1.JobComplete, corev1.ConditionTrue)
	default:
		add(batchv1.JobComplete, corev1.ConditionFalse)
	}
}

func (w *cronJobWorld) syncCronJobs() {
	cached := w.cached
	if cached == nil {
		cached = w.store
	}
	for _, object := range cached.List(apiserver.CronJobs) {
		w.syncCronJob(object.(*batchv1.CronJob))
	}
}

func (w *cronJobWorld) syncCronJob(cronJob *batchv1.CronJob) {
	cached, stored := w.cached, w.store
	input := map[string]any{"cronJob": cases.Value(cronJob), "jobs": jobsOf(stored)}
	if cached != nil {
		input["jobs"] = jobsOf(cached)
		there := map[string]any{"jobs": jobsOf(stored)}
		if object, err := stored.Get(apiserver.CronJobs, namespace, cronJob.Name); err == nil {
			if len(object.(*batchv1.CronJob).Finalizers) != len(cronJob.Finalizers) {
				// The store accepts outdated copies, so it would lose the finalizers.
				return
			}
			there["cronJob"] = cases.Value(object)
		}
		input["stored"] = there
	}
	var after controllers.CronJobResult
	sync := func(store *apiserver.Store, key string) controllers.Result {
		behind := cached
		if behind == nil {
			behind = store
		}
		result := controllers.SyncCronJob(store, behind, key)
		if !store.Strict() {
			after = result
		}
		return result.Result
	}
	c, asked := w.sync("cronJob.sync", cronJob.Name, input, sync, w.cronJobRefusals())
	if c == nil {
		return
	}
	c.Hint = fmt.Sprint(len(asked) > 0, len(cronJob.Status.Active) > 0, cronJob.Spec.TimeZone != nil)
	c.Sort = cronJob.Spec.Schedule
	w.emitAfter(*c, after)
	w.next = time.Now().Add(after.After)
}

// jobsOf returns the Jobs of a store without their pod templates, which don't matter here.
func jobsOf(store *apiserver.Store) []any {
	jobs := []any{}
	for _, object := range store.List(apiserver.Jobs) {
		jobs = append(jobs, withoutTemplate(object))
	}
	return jobs
}

func withoutTemplate(job runtime.Object) any {
	value := cases.Value(job).(map[string]any)
	spec := map[string]any{}
	if ttl, ok := value["spec"].(map[string]any)["ttlSecondsAfterFinished"]; ok {
		spec["ttlSecondsAfterFinished"] = ttl
	}
	value["spec"] = spec
	return value
}

// emitAfter passes on a case, with the time until the next sync and the text of the error.
func (w *cronJobWorld) emitAfter(c cases.Case, after controllers.CronJobResult) {
	c.Expected["error"] = after.Err != nil
	if after.Err != nil {
		c.Expected["error"] = after.Err.Error()
	} else {
		c.Expected["nanoseconds"] = int64(after.After)
	}
	w.emit(c)
}

func (w *cronJobWorld) cronJobRefusals() []apiserver.Refusal {
	if w.rerecords {
		return w.given
	}
	if !w.kind.refuses || !w.chance(60) {
		return nil
	}
	return []apiserver.Refusal{pick(w.World, cronJobRefusals)}
}

var cronJobRefusals = []apiserver.Refusal{
	{Verb: "create", Resource: "jobs", Code: 403, Message: `jobs.batch "nightly" is forbidden: exceeded quota: jobs, requested: count/jobs.batch=1, used: count/jobs.batch=2, limited: count/jobs.batch=2`},
	{Verb: "create", Resource: "jobs", Code: 403, Message: `jobs.batch "nightly" is forbidden: unable to create new content in namespace default because it is being terminated`, Cause: "NamespaceTerminating"},
	{Verb: "create", Resource: "jobs", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "create", Resource: "jobs", Code: 409, Message: `jobs.batch "nightly" already exists`},
	{Verb: "delete", Resource: "jobs", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "jobs", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "jobs", After: 1, Code: 404, Message: `jobs.batch "nightly" not found`},
	{Verb: "updateStatus", Resource: "cronjobs", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "updateStatus", Resource: "cronjobs", Code: 409, Message: "Operation cannot be fulfilled"},
}

// RunTTL creates the world of Jobs with a TTL with this number, lets it evolve, and passes on every sync as a case.
func RunTTL(seed uint64, number int, emit func(cases.Case)) {
	rng := rand.New(rand.NewPCG(seed, uint64(number)^5<<61))
	time.Sleep(time.Until(Start))
	time.Sleep(time.Duration(rng.IntN(1000)) * time.Millisecond)
	name := []string{"ttl", "ttl-behind", "ttl-refused"}[number%3]
	w := newCronJobWorld(seed, number, name, rng, emit)
	w.World.kind.refuses = name == "ttl-refused"
	w.World.kind.actions = []action{{4, moveTTL}, {2, deleteJob}, {2, bendFinishTime}}
	for i := range w.between(1, 2) {
		w.foundTTL(fmt.Sprintf("pi-%d", i))
	}
	for range 12 {
		w.passCronJobs([]time.Duration{time.Second, 10 * time.Second, time.Minute, 10 * time.Minute})
		w.runJobs()
		if name == "ttl-behind" && w.chance(60) {
			w.cached = w.store.Fork(true, nil, 0)
		}
		if w.chance(50) {
			w.act()
		}
		if w.chance(60) {
			w.collectGarbage()
		}
		w.syncTTLs()
	}
	time.Sleep(20 * time.Second)
}

func (w *cronJobWorld) foundTTL(name string) {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "app", Image: "perl"}},
		}}},
	}
	if w.chance(90) {
		job.Spec.TTLSecondsAfterFinished = pointer(pick(w.World, ttls))
	}
	_, _ = w.store.Create(apiserver.Jobs, namespace, job)
}

var ttls = []int32{0, 1, 10, 60, 600, 2147483647}

func moveTTL(w *World) {
	if job, ok := someJob(w); ok {
		job.Spec.TTLSecondsAfterFinished = pointer(pick(w, ttls))
		if w.chance(20) {
			job.Spec.TTLSecondsAfterFinished = nil
		}
		w.updateJob(job)
	}
}

// bendFinishTime removes a Job's finish time, or moves it to the future.
func bendFinishTime(w *World) {
	job, ok := someJob(w)
	if !ok {
		return
	}
	for i := range job.Status.Conditions {
		if condition := &job.Status.Conditions[i]; w.chance(50) {
			condition.LastTransitionTime = metav1.Time{}
		} else {
			condition.LastTransitionTime = metav1.NewTime(time.Now().Add(time.Hour))
		}
	}
	w.store.Put(apiserver.Jobs, job)
}

func (w *cronJobWorld) syncTTLs() {
	cached := w.cached
	if cached == nil {
		cached = w.store
	}
	for _, object := range cached.List(apiserver.Jobs) {
		if w.chance(80) {
			w.syncTTL(object)
		}
	}
}

func (w *cronJobWorld) syncTTL(object runtime.Object) {
	job := object.(*batchv1.Job)
	cached := w.cached
	input := map[string]any{"job": withoutTemplate(job)}
	if cached != nil {
		there := map[string]any{}
		if object, err := w.store.Get(apiserver.Jobs, namespace, job.Name); err == nil {
			there["job"] = withoutTemplate(object)
		}
		input["stored"] = there
	}
	var after controllers.CronJobResult
	deleted := false
	sync := func(store *apiserver.Store, key string) controllers.Result {
		behind := cached
		if behind == nil {
			behind = store
		}
		result := controllers.SyncTTL(store, behind, key)
		if !store.Strict() {
			after, deleted = result, len(store.Log) > 0
		}
		return result.Result
	}
	var refusals []apiserver.Refusal
	if w.kind.refuses && w.chance(50) {
		refusals = []apiserver.Refusal{pick(w.World, ttlRefusals)}
	}
	c, _ := w.sync("ttl.sync", job.Name, input, sync, refusals)
	if c == nil {
		return
	}
	delete(c.Expected, "writes")
	delete(c.Expected, "events")
	c.Expected["deleted"] = deleted
	w.emitAfter(*c, after)
	if after.After > 0 && strings.HasSuffix(job.Name, "0") {
		w.next = time.Now().Add(after.After)
	}
}

var ttlRefusals = []apiserver.Refusal{
	{Verb: "delete", Resource: "jobs", Code: 500, Message: "etcdserver: request timed out"},
	{Verb: "delete", Resource: "jobs", Code: 409, Message: `Operation cannot be fulfilled on jobs.batch "pi": the UID in the precondition does not match`},
	{Verb: "delete", Resource: "jobs", Code: 404, Message: `jobs.batch "pi" not found`},
}
