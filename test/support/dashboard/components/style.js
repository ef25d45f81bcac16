// In place of every style sheet and picture that a component imports.
module.exports = "";
