// Turns the outcomes of every combination of fixes into one picture, layers of boxes or a grid, as the builder's
// lattice_picture.py does, and a place in it into a combination.
(function (AgentBlame) {
  "use strict";

  const { latticeGrid, latticeLayers } = AgentBlame;
  const MOST_IN_LAYERS = 5;
  const MOST_IN_GRID = 12;
  const TOWARDS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };

  const isGrid = (players) => players > MOST_IN_LAYERS;
  const layoutOf = (players) => (isGrid(players) ? latticeGrid : latticeLayers);

  function tooMany(players) {
    if (players <= MOST_IN_GRID) return "";
    return "There are " + 2 ** players + " combinations, too many for a picture. The table below lists them.";
  }

  // `edited` is a Map or Set of the masks whose outcome is hypothetical.
  function drawing(found, mask, edited) {
    return layoutOf(found.titles.length).drawing(found, mask, edited);
  }

  function boxOf(players, mask) {
    return layoutOf(players).boxOf(players, mask);
  }

  // The combination drawn at a point, or null.
  function maskAt(players, x, y) {
    return layoutOf(players).maskAt(players, x, y);
  }

  // Where an arrow key leads: to the neighbour in the picture, if there is one.
  function moved(players, mask, key) {
    const to = layoutOf(players).neighbour(players, mask, ...TOWARDS[key]);
    return to === null ? mask : to;
  }

  AgentBlame.latticePicture = { isGrid, tooMany, drawing, boxOf, maskAt, moved };
})(globalThis.AgentBlame);
