// Sorts tables and zooms timelines. Everything else is there without it.
"use strict";
(() => {
    // Tables --------------------------------------------------------------------------------------

    const valueOf = (row, column) => {
        const cell = row.cells[column];
        const value = cell.dataset.v !== undefined ? cell.dataset.v : cell.textContent.trim();
        return value !== "" && !Number.isNaN(Number(value)) ? Number(value) : value;
    };

    const compare = (a, b) => {
        if (typeof a === "number" && typeof b === "number")
            return a - b;
        if (typeof a !== typeof b)
            return typeof a === "number" ? -1 : 1;
        return a.localeCompare(b, "en", {numeric: true});
    };

    // Numbers begin with the largest. Equal rows stay in their order.
    const sort = (table, head) => {
        const column = head.cellIndex;
        const was = head.getAttribute("aria-sort");
        const first = head.classList.contains("n") ? "descending" : "ascending";
        const other = first === "ascending" ? "descending" : "ascending";
        const order = was === first ? other : first;
        const sign = order === "ascending" ? 1 : -1;
        const body = table.tBodies[0];
        const rows = Array.from(body.rows);
        rows.sort((a, b) => sign * compare(valueOf(a, column), valueOf(b, column)));
        body.append(...rows);
        for (const cell of table.tHead.rows[0].cells)
            cell.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", order);
    };

    for (const table of document.querySelectorAll("table.sortable")) {
        for (const head of table.tHead.rows[0].cells) {
            const button = document.createElement("button");
            button.type = "button";
            button.append(...head.childNodes);
            button.addEventListener("click", () => sort(table, head));
            head.append(button);
        }
    }

    // Timelines: what is seen is the viewBox, from `begin`, `length` long, in microseconds ---------

    const timeText = us => {
        const units = [[1e6, "s"], [1e3, "ms"], [1, "us"], [1e-3, "ns"]];
        const unit = units.find(one => Math.abs(us) >= one[0]) || units[units.length - 1];
        return us === 0 ? "0" : `${Number((us / unit[0]).toPrecision(4))} ${unit[1]}`;
    };

    const SMALLEST = 0.05;
    const LABEL_FROM = 44; // Pixels.
    const LABELS_MAX = 300;

    const timeline = root => {
        const view = root.querySelector(".view");
        const svg = root.querySelector(".slices");
        const times = root.querySelectorAll(".times span");
        const range = root.querySelector(".range");
        const tools = root.querySelector(".tools");
        const box = svg.viewBox.baseVal;
        const whole = box.width;
        const rows = box.height;
        let begin = 0;
        let length = whole;
        let spoken = 0;

        // Slices that are wide enough show their names, which the picture would stretch.
        const slices = Array.from(svg.querySelectorAll("rect"), one => ({
            x: one.x.baseVal.value, y: one.y.baseVal.value, width: one.width.baseVal.value,
            name: one.querySelector("title").textContent.split(",")[0],
        }));
        const labels = document.createElement("div");
        labels.className = "labels";
        labels.setAttribute("aria-hidden", "true");
        view.append(labels);
        const label = () => {
            const scale = view.clientWidth / length;
            const made = [];
            for (const one of slices) {
                const left = Math.max(0, (one.x - begin) * scale);
                const right = Math.min(view.clientWidth, (one.x + one.width - begin) * scale);
                if (right - left < LABEL_FROM || made.length === LABELS_MAX)
                    continue;
                const text = document.createElement("span");
                text.textContent = one.name;
                text.style.left = `${left}px`;
                text.style.maxWidth = `${right - left}px`;
                text.style.top = `${100 * one.y / rows}%`;
                made.push(text);
            }
            labels.replaceChildren(...made);
        };

        const show = () => {
            length = Math.min(whole, Math.max(SMALLEST, length));
            begin = Math.min(whole - length, Math.max(0, begin));
            svg.setAttribute("viewBox", `${begin} 0 ${length} ${rows}`);
            times.forEach((one, i) => {
                one.textContent = timeText(begin + length * i / (times.length - 1));
            });
            label();
            // Screen readers hear where a movement ends.
            clearTimeout(spoken);
            spoken = setTimeout(() => {
                range.textContent = `Shown: ${timeText(begin)} to ${timeText(begin + length)} of ` +
                    timeText(whole);
            }, 250);
        };
        const zoom = (times_, at) => {
            const fixed = begin + length * at;
            const next = Math.min(whole, Math.max(SMALLEST, length * times_));
            begin = fixed - next * at;
            length = next;
            show();
        };
        const move = part => {
            begin += length * part;
            show();
        };
        const all = () => {
            begin = 0;
            length = whole;
            show();
        };
        const actions = [
            ["Zoom in", () => zoom(0.5, 0.5)],
            ["Zoom out", () => zoom(2, 0.5)],
            ["Earlier", () => move(-0.25)],
            ["Later", () => move(0.25)],
            ["Everything", all],
        ];
        for (const [name, action] of actions) {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = name;
            button.addEventListener("click", action);
            tools.append(button);
        }
        tools.hidden = false;

        const keys = {
            "+": actions[0][1], "=": actions[0][1], "-": actions[1][1], "ArrowLeft": actions[2][1],
            "ArrowRight": actions[3][1], "Home": all, "0": all,
        };
        view.tabIndex = 0;
        view.setAttribute("role", "group");
        view.setAttribute("aria-label",
            "Timeline: plus and minus zoom, arrows move, Home shows everything");
        view.classList.add("zooms");
        view.addEventListener("keydown", event => {
            if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey)
                return;
            event.preventDefault();
            keys[event.key]();
        });

        const partOf = x => {
            const frame = view.getBoundingClientRect();
            return (x - frame.left) / frame.width;
        };
        // The wheel alone scrolls the page.
        view.addEventListener("wheel", event => {
            if (!event.ctrlKey && !event.metaKey)
                return;
            event.preventDefault();
            zoom(Math.exp(event.deltaY * 0.002), partOf(event.clientX));
        }, {passive: false});
        view.addEventListener("dblclick", event => zoom(0.5, partOf(event.clientX)));

        // One pointer moves, two zoom.
        const pointers = new Map();
        view.addEventListener("pointerdown", event => {
            pointers.set(event.pointerId, event.clientX);
            view.setPointerCapture(event.pointerId);
        });
        view.addEventListener("pointermove", event => {
            const before = pointers.get(event.pointerId);
            if (before === undefined)
                return;
            const xs = Array.from(pointers.values());
            pointers.set(event.pointerId, event.clientX);
            if (pointers.size === 1) {
                move(partOf(before) - partOf(event.clientX));
            } else if (pointers.size === 2) {
                const now = Array.from(pointers.values());
                const gap = Math.abs(xs[0] - xs[1]);
                const next = Math.abs(now[0] - now[1]);
                if (gap > 4 && next > 4)
                    zoom(gap / next, partOf((now[0] + now[1]) / 2));
            }
        });
        for (const name of ["pointerup", "pointercancel", "lostpointercapture"])
            view.addEventListener(name, event => pointers.delete(event.pointerId));
        view.addEventListener("pointerover", event => {
            const title = event.target.querySelector && event.target.tagName === "rect" &&
                event.target.querySelector("title");
            if (title && pointers.size === 0)
                range.textContent = title.textContent;
        });
        window.addEventListener("resize", show);
        show();
    };
    document.querySelectorAll(".timeline").forEach(timeline);
})();
