const changeover = require('changeover');

// `use` is a module: it is imported, Changeover is required.
import('./use.mjs').then(({ use }) => console.log(JSON.stringify(use(changeover, require('./deployment.json')))));
