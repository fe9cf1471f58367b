import { openRow } from './endpoint-rows.js';

/** Narrows the page down to the endpoints that have every word typed, and moves among them by keys. */
export function enhanceSearch() {
  const input = document.getElementById('search');
  const endpoints = document.getElementById('endpoints');
  const overview = document.querySelector('.overview');
  const found = document.querySelector('.found');
  const nothing = document.querySelector('.nothing');
  const unfiltered = found.textContent;
  const sections = [...endpoints.querySelectorAll('.group')].map(sectionOf);
  const rows = sections.flatMap((section) => section.rows);

  const filter = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
    for (const { section, link, counts, rows: own } of sections) {
      const count = own.filter(({ row }) => !row.hidden).length;
      section.hidden = count === 0;
      link.hidden = count === 0;
      for (const shown of counts) shown.textContent = count;
    }
    const count = rows.filter(({ row }) => !row.hidden).length;
    overview.hidden = words.length > 0;
    nothing.hidden = count > 0;
    found.textContent = words.length === 0 ? unfiltered : `${count} of ${rows.length} endpoints`;
  };

  const visible = () => rows.map(({ row }) => row).filter((row) => !row.hidden);
  const focusRow = (row) => row?.firstElementChild.focus();

  input.addEventListener('input', () => {
    filter();
    scrollTo(0, 0);
  });
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') focusRow(visible()[0]);
    else if (event.key === 'Enter') openBest();
    else if (event.key === 'Escape') clearSearch();
    else return;
    event.preventDefault();
  });
  endpoints.addEventListener('keydown', (event) => {
    const row = event.target.matches('.endpoint > summary') && event.target.parentElement;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!row || !step) return;
    event.preventDefault();
    const shown = visible();
    const next = shown[shown.indexOf(row) + step];
    if (next) focusRow(next);
    else if (step < 0) input.focus();
  });
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });

  async function openBest() {
    const query = input.value.trim().toLowerCase();
    const [best] = rows
      .filter(({ row }) => !row.hidden)
      .toSorted((a, b) => closeness(b, query) - closeness(a, query));
    if (query === '' || !best) return;
    await openRow(best.row);
    focusRow(best.row);
    best.row.scrollIntoView({ block: 'nearest' });
  }

  document.querySelector('.brand a').addEventListener('click', clearSearch);

  // A reload may bring back what was typed.
  if (input.value !== '') filter();
}

/** Shows everything again. */
export function clearSearch() {
  const input = document.getElementById('search');
  input.value = '';
  input.dispatchEvent(new Event('input'));
}

function sectionOf(section) {
  const link = document.querySelector(`#groups a[href="#${section.querySelector('h2').id}"]`).parentElement;
  const counts = [section, link].map((part) => part.querySelector('.count'));
  return { section, link, counts, rows: [...section.querySelectorAll('.endpoint')].map(rowOf) };
}

function rowOf(row) {
  const path = row.querySelector('.path').textContent.toLowerCase();
  const id = row.id.slice(1);
  const about = row.querySelector('.about').textContent;
  return { row, path, id, text: [row.dataset.methods, path, id, about].join(' ').toLowerCase() };
}

/** The endpoint whose path or id was typed comes before those that merely contain it. */
function closeness({ path, id }, query) {
  if (path === query || path === `/${query}` || id === query) return 3;
  if (path.startsWith(query) || path.startsWith(`/${query}`)) return 2;
  return path.includes(query) ? 1 : 0;
}
