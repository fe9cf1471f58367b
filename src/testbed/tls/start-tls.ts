import type { Log } from '../../kernel/log.ts';
import { type MaterialKeeperOptions, obtainMaterial, type SharedMaterialKeeper } from './material-keeper.ts';
import { TlsPorts, type TlsPortsOptions } from './tls-ports.ts';

export interface TlsOptions extends TlsPortsOptions, Pick<MaterialKeeperOptions, 'folder' | 'place'> {
  readonly keeper: SharedMaterialKeeper;
  readonly log: Log;
}

export interface StartedTls {
  readonly ports: TlsPorts;
  /** Gets the certificates and serves; resolves with what the line `ready …` then says. */
  serve(): Promise<string>;
  stop(deadlineMs: number): Promise<void>;
}

const RENEWAL_CHECK_MS = 12 * 3600 * 1000;

/** Opens the ports. Certificates come when they serve, and are kept fresh from then on. */
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
  let renewal: NodeJS.Timeout | undefined;
  return {
    ports,
    serve: () => {
      renewal = setInterval(() => refresh().catch(sayWhy), RENEWAL_CHECK_MS);
      renewal.unref();
      const ready = refresh();
      ready.catch(sayWhy);
      return ready;
    },
    stop: async (deadlineMs) => {
      isStopping = true;
      clearInterval(renewal);
      await ports.stop(deadlineMs);
    },
  };
}
