// The one global name of this page. Scripts after this one add to it; freeze.js closes it.
globalThis.AgentBlame = { rules: {}, widgets: {} };
