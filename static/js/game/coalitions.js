// Turns a coalition's mask into the fixes in it, and into its place in a game's table.
//
// A mask may have 53 bits, more than the language's bit operators take, so it is divided instead.
(function (AgentBlame) {
  "use strict";

  function has(mask, player) {
    return Math.floor(mask / 2 ** player) % 2 === 1;
  }

  function toggled(mask, player) {
    return has(mask, player) ? mask - 2 ** player : mask + 2 ** player;
  }

  function maskOf(players) {
    return players.reduce((mask, player) => mask + 2 ** player, 0);
  }

  function grand(count) {
    return 2 ** count - 1;
  }

  // -1 for a coalition that the game does not list.
  function placeOf(game, mask) {
    return game.coalitions === null ? mask : game.coalitions.indexOf(mask);
  }

  function maskAt(game, place) {
    return game.coalitions === null ? place : game.coalitions[place];
  }

  AgentBlame.coalitions = { has, toggled, maskOf, grand, placeOf, maskAt };
})(globalThis.AgentBlame);
