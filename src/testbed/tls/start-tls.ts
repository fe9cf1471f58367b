import type { Log } from '../../kernel/log.ts';
import { type MaterialKeeperOptions, obtainMaterial, type SharedMaterialKeeper } from './material-keeper.ts';
import { TlsPorts, type TlsPortsOptions } from './tls-ports.ts';

export interface TlsOptions extends TlsPortsOptions, Pick<MaterialKeeperOptions, 'folder' | 'place'> {
  readonly keeper: SharedMaterialKeeper;
  readonly log: Log;
}

export interface StartedTls {
  readonly ports: TlsPorts;
  /** Resolves, with what the line `ready …` says, when the ports serve. */
  readonly ready: Promise<string>;
  stop(deadlineMs: number): Promise<void>;
}

const RENEWAL_CHECK_MS = 12 * 3600 * 1000;

/** Opens the ports and, behind the caller's back, gets the certificates and keeps them fresh. */
export async function startTls(options: TlsOptions): Promise<StartedTls> {
  const { keeper, log } = options;
  const ports = await TlsPorts.listen(options);
  let isStopping = false;
  const refresh = async () => {
    await ports.use(await obtainMaterial(keeper, options));
    return `testbed-tls ${ports.summary}`;
  };
  const sayWhy = (err: Error) => {
    if (!isStopping) log.error({ event: 'tls.material.failed', err });
  };
  const ready = refresh();
  ready.catch(sayWhy);
  const renewal = setInterval(() => refresh().catch(sayWhy), RENEWAL_CHECK_MS);
  renewal.unref();
  return {
    ports,
    ready,
    stop: async (deadlineMs) => {
      isStopping = true;
      clearInterval(renewal);
      await ports.stop(deadlineMs);
    },
  };
}
