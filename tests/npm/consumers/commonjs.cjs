const changeover = require('changeover');

// `exercise` is an ES module, so it is imported; Changeover is required.
import('./exercise.mjs').then(({ exercise }) => console.log(JSON.stringify(exercise(changeover, require('./deployment.json')))));
