/**
 * A copy of a Latin-1 text in one piece. Texts put together from parts are walked through part by part whenever they
 * are written, and a part cut from a text keeps the whole of it in memory; what is kept for long should do neither.
 */
export function flatText(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1');
}
