export async function runIndexCleanup(..._: unknown[]): Promise<number> { return 1; }
