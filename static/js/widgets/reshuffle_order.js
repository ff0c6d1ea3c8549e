// Turns an order of fixes that one can reshuffle into what each fix adds along it, and orders seen into their mean.
(function (AgentBlame) {
  "use strict";

  const { coalitions, dom, frame, rules, seeded } = AgentBlame;
  const CAPTION =
    "Four fixes go in one after another. Only search with rank or answer repairs the case. Drag a fix, or move it " +
    "with its arrows, and see which one gets the credit.";
  const FIXES = ["search", "rank", "answer", "check"];
  const WORTH = frame.worthOf(4, (fixed) => fixed(0) && (fixed(1) || fixed(2)));

  // v after each fix of the order, and what that fix added; by the order's places.
  function along(order) {
    const masks = order.map((_, place) => coalitions.maskOf(order.slice(0, place + 1)));
    return { masks, added: rules.worth.differences(WORTH, 1, masks, [0, ...masks.slice(0, -1)]) };
  }

  function everyOrder(players) {
    if (players.length === 0) return [[]];
    const without = (first) => players.filter((one) => one !== first);
    return players.flatMap((first) => everyOrder(without(first)).map((rest) => [first, ...rest]));
  }

  const ORDERS = everyOrder([...FIXES.keys()]);

  // What is held keeps the pointer: its neighbours move out of its way.
  function drag(item, grip, moved, dropped) {
    const middle = (element) => element.getBoundingClientRect().top + element.getBoundingClientRect().height / 2;
    grip.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      grip.setPointerCapture(event.pointerId);
      item.classList.add("is-held");
    });
    grip.addEventListener("pointermove", (event) => {
      if (!grip.hasPointerCapture(event.pointerId)) return;
      const { previousElementSibling: above, nextElementSibling: below } = item;
      if (above !== null && event.clientY < middle(above)) item.after(above);
      else if (below !== null && event.clientY > middle(below)) item.before(below);
      else return;
      moved();
    });
    grip.addEventListener("lostpointercapture", () => {
      item.classList.remove("is-held");
      dropped();
    });
  }

  AgentBlame.widgets["reshuffle-order"] = function (box) {
    const seen = new Map();
    const { controls, picture, say } = frame.open(box, "An order of fixes to reshuffle", CAPTION, () => {
      seen.clear();
      put([...FIXES.keys()]);
    });
    const next = seeded.stream("orders");
    const list = dom.make("ol", { class: "widget-order" });
    const items = FIXES.map((fix, player) => {
      const element = dom.make("li", { "data-fix": player });
      const grip = dom.make("span", { class: "widget-grip", "data-part": "grip", "aria-hidden": "true" }, "⠿");
      const outcome = frame.outcome();
      const added = dom.make("span", { class: "number" });
      const buttons = [["↑", "earlier", -1], ["↓", "later", 1]].map(([sign, word, by]) => {
        const made = frame.button(sign, () => {
          const order = orderNow();
          const place = order.indexOf(player);
          [order[place], order[place + by]] = [order[place + by], order[place]];
          dom.keepFocus(buttons, () => put(order));
        });
        made.setAttribute("aria-label", "Move " + fix + " " + word);
        return made;
      });
      element.append(grip, dom.make("span", { class: "widget-title" }, fix), ...buttons, outcome.element, added);
      drag(element, grip, () => show(), () => put(orderNow()));
      return { element, outcome, added, buttons };
    });
    const table = frame.bars(["Fix", "Mean so far", "Shapley value"], FIXES, { low: 0, high: 1 });
    picture.append(list, table.element);
    const unseen = () => ORDERS.filter((order) => !seen.has(order.join()));
    const another = frame.button("An order not seen yet", () => {
      const left = unseen();
      dom.keepFocus([another, every], () => put(left[Math.floor(next() * left.length)]));
    });
    const every = frame.button("All orders", () => {
      ORDERS.forEach((order) => seen.set(order.join(), order));
      dom.keepFocus([another, every], () => show());
    });
    controls.append(another, every);

    function orderNow() {
      return Array.from(list.children, (element) => Number(element.dataset.fix));
    }

    // Moves as little as it can, so that an item that has the focus keeps it.
    function put(order) {
      order.forEach((player, place) => {
        if (list.children[place] !== items[player].element) {
          list.insertBefore(items[player].element, list.children[place] || null);
        }
      });
      seen.set(order.join(), order);
      show();
    }

    function means() {
      const sums = FIXES.map(() => 0);
      for (const order of seen.values()) along(order).added.forEach((added, place) => { sums[order[place]] += added; });
      return sums.map((sum) => sum / seen.size);
    }

    function show() {
      const order = orderNow();
      const { masks, added } = along(order);
      order.forEach((player, place) => {
        const { outcome, added: text, buttons } = items[player];
        outcome.show(WORTH[masks[place]] === 1);
        dom.setText(text, "adds " + rules.numberText(added[place]));
        buttons[0].disabled = place === 0;
        buttons[1].disabled = place === order.length - 1;
      });
      const shares = rules.shapley(WORTH, 1);
      means().forEach((mean, k) => table.show(k, mean, [rules.numberText(mean), rules.numberText(shares[k])]));
      another.disabled = unseen().length === 0;
      every.disabled = another.disabled;
      const credited = FIXES[order[added.indexOf(1)]];
      const count = seen.size + " of " + ORDERS.length + " orders seen";
      const whole = seen.size === ORDERS.length ? ": their mean is the Shapley value." : ".";
      say("In this order " + credited + " gets the credit: with it the case passes. " + count + whole);
    }

    put([...FIXES.keys()]);
  };
})(globalThis.AgentBlame);
