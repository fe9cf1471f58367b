/** The one version of all modules, pages and interface descriptions (npm spells it without the leading zero). */
export const version = '2026.04.1';
