import { fault } from '../../kernel/faults.ts';

interface Choice {
  readonly status: number;
  readonly weight: number;
}

/**
 * One code, or a list to choose from by chance: `200,503` or weighted `200:0.8,503:0.2` (weight 1 unless given).
 * `random` is uniform in [0, 1).
 */
export function chooseStatus(codes: string, random: () => number): number {
  const choices = codes.includes(',')
    ? codes.split(',').map(weightedChoice)
    : [{ status: codeOf(codes), weight: 1 }];
  const total = choices.reduce((sum, { weight }) => sum + weight, 0);
  if (!(total > 0 && Number.isFinite(total))) throw invalid('must have weights that add up to more than 0');

  let rest = random() * total;
  for (const { status, weight } of choices) {
    rest -= weight;
    if (rest < 0) return status;
  }
  // Only rounding leads here: the last code that can be chosen at all takes it.
  return choices.findLast(({ weight }) => weight > 0)!.status;
}

function weightedChoice(text: string): Choice {
  const [code = '', weight, ...more] = text.split(':');
  if (more.length > 0) throw invalid('must be status codes, each with one weight at most');
  if (weight !== undefined && !/^\s*\d*\.?\d+(?:e[+-]?\d+)?\s*$/i.test(weight)) {
    throw invalid('must have numbers of 0 or more as weights');
  }
  return { status: codeOf(code), weight: weight === undefined ? 1 : Number(weight) };
}

function codeOf(text: string): number {
  const status = /^\s*\d{1,4}\s*$/.test(text) ? Number(text) : Number.NaN;
  if (!(status >= 100 && status <= 999)) throw invalid('must be status codes between 100 and 999');
  return status;
}

function invalid(rule: string) {
  return fault('parameter.invalid', { in: 'path', name: 'codes', rule });
}
