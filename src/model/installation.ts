/** One platform has one of these: who is making it, and whether everything that a fresh one needs is there. */
export interface Installation {
  readonly name: 'installation';
  readonly isMade: boolean;
  readonly claimedUntil: number;
}

export const installationCollection = {
  name: 'installations',
  unique: [['name']],
  indexed: [],
} as const;
