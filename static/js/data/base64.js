// Turns base64 into the bytes it stands for, or into the numbers.
(function (AgentBlame) {
  "use strict";

  function bytesOf(text) {
    if (typeof Uint8Array.fromBase64 === "function") return Uint8Array.fromBase64(text);
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let k = 0; k < bytes.length; k += 1) bytes[k] = letters.charCodeAt(k);
    return bytes;
  }

  // Numbers of 64 bits, the lowest byte first; runs of letters are kept apart by bars.
  function doublesOf(text) {
    const { buffer, byteOffset, byteLength } = bytesOf(text.replaceAll("|", ""));
    const view = new DataView(buffer, byteOffset, byteLength);
    const numbers = new Float64Array(byteLength / 8);
    for (let k = 0; k < numbers.length; k += 1) numbers[k] = view.getFloat64(8 * k, true);
    return numbers;
  }

  AgentBlame.base64 = { bytesOf, doublesOf };
})(globalThis.AgentBlame);
