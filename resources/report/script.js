// SPDX-License-Identifier: GPL-3.0-or-later
// Keys, folding, finding, light and dark. The report is whole without it.
'use strict';
(() => {
  const root = document.documentElement;
  const all = selector => Array.from(document.querySelectorAll(selector));
  const byId = id => document.getElementById(id);
  const turns = all('details.turn');
  const shown = () => turns.filter(turn => !turn.hidden);
  for (const tools of all('.tools')) tools.hidden = false;

  // Light and dark; kept for this file where the browser keeps anything for it.
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const swap = () => {
    root.dataset.theme = dark() ? 'light' : 'dark';
    try { localStorage.setItem('kernelforge-report-theme', root.dataset.theme); } catch { /* not kept then */ }
  };
  try {
    const kept = localStorage.getItem('kernelforge-report-theme');
    if (kept === 'light' || kept === 'dark') root.dataset.theme = kept;
  } catch { /* a file may have no storage */ }

  const open_target = () => {
    const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    if (target && target.matches('details')) {
      target.open = true;
      target.querySelector('summary').focus({ preventScroll: true });
      target.scrollIntoView();
    }
  };

  const go = step => {
    const list = shown();
    if (list.length === 0) return;
    const here = list.findIndex(turn => turn.contains(document.activeElement));
    const top = list.findIndex(turn => turn.getBoundingClientRect().bottom > 80);
    const next = here >= 0 ? here + step : step > 0 ? Math.max(top, 0) : Math.max(top - 1, 0);
    const turn = list[Math.min(Math.max(next, 0), list.length - 1)];
    turn.querySelector('summary').focus({ preventScroll: true });
    turn.scrollIntoView({ block: 'start' });
  };

  const find = byId('find');
  const search = () => {
    const words = find.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    for (const turn of turns) {
      const text = words.length > 0 ? turn.textContent.toLowerCase() : '';
      turn.hidden = !words.every(word => text.includes(word));
    }
    byId('found').textContent = words.length > 0 ? `${shown().length} of ${turns.length}` : '';
  };
  find.addEventListener('input', search);
  find.addEventListener('keydown', event => {
    if (event.key === 'Enter') {
      const first = shown()[0];
      if (first) {
        first.open = true;
        first.querySelector('summary').focus({ preventScroll: true });
        first.scrollIntoView();
      }
      event.preventDefault();
    }
  });
  const clear = () => { find.value = ''; search(); };

  const keys = byId('keys');
  const help = () => { if (!keys.open) keys.showModal(); };
  byId('theme').addEventListener('click', swap);
  byId('help').addEventListener('click', help);

  document.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || keys.open) return;
    if (event.key === 'Escape') { clear(); if (document.activeElement === find) find.blur(); return; }
    if (document.activeElement === find) return;
    const acts = {
      j: () => go(1), k: () => go(-1), t: swap, '?': help,
      o: () => { const any = turns.some(turn => !turn.open); for (const turn of turns) turn.open = any; },
      '/': () => { find.focus(); find.select(); },
    };
    if (Object.hasOwn(acts, event.key)) { event.preventDefault(); acts[event.key](); }
  });

  // On paper nothing can be opened: turns and changes are, what was said with a model stays folded.
  let folded = [];
  addEventListener('beforeprint', () => {
    folded = all('details.turn:not([open]), details.changes:not([open]), details.source:not([open])');
    for (const details of folded) details.open = true;
  });
  addEventListener('afterprint', () => { for (const details of folded) details.open = false; });
  addEventListener('hashchange', open_target);
  open_target();
})();
