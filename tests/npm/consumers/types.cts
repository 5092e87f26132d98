import changeover = require('changeover');
import slim = require('changeover/slim');

const timeline: changeover.Timeline = changeover.simulate({ version: 1 });
const reason: 'quiet' | 'time' | 'steps' | 'pods' | 'bytes' = timeline.end.reason;
const same: typeof slim.simulate = changeover.simulate;

export = [timeline, reason, same];
