// Turns a number into the one text that is shown for it.
(function (rules) {
  "use strict";

  const MINUS = "\u2212";

  /**
   * An integer without decimals, anything else with three; "<0.001" for what is nearer to 0 than half a
   * thousandth; four digits and an exponent from 1e9 on. toFixed and toExponential round the exact binary value
   * to the nearest, halves away from zero.
   */
  function numberText(number) {
    if (!Number.isFinite(number)) {
      throw rules.worth.named("NotFinite", "only finite numbers can be shown");
    }
    const size = Math.abs(number);
    const sign = number < 0 ? MINUS : "";
    if (size >= 1e9) {
      return sign + size.toExponential(3);
    }
    if (Number.isInteger(size)) {
      return sign + size.toFixed(0);
    }
    if (size < 0.0005) {
      return sign ? `>${sign}0.001` : "<0.001";
    }
    return sign + size.toFixed(3);
  }

  rules.numberText = numberText;
})(AgentBlame.rules);
