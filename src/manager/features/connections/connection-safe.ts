import { Fault, fault } from '../../../kernel/faults.ts';
import { type SecretBox, SecretUnreadable } from '../../../kernel/secret-box.ts';
import type { ParameterSet } from '../../../model/connection.ts';
import type { StoredConnection, StoredParameters } from '../../../model/connection-document.ts';
import { maskedParameters, openParameters, sealParameters } from '../../../model/connection-secrets.ts';
import type { Stored } from '../../../store/contract.ts';
import { storedParameters } from './connection-parameters.ts';

/** Seals the secrets among the parameters of connections, and opens them. */
export class ConnectionSafe {
  readonly #box: SecretBox;

  constructor(box: SecretBox) {
    this.#box = box;
  }

  seal(connectionId: string, environmentId: string, set: ParameterSet): StoredParameters {
    return sealParameters(set, { connectionId, environmentId }, this.#box);
  }

  /** The parameters in an environment; undefined when there are none. */
  open({ id, value }: Stored<StoredConnection>, environmentId: string): ParameterSet | undefined {
    const stored = storedParameters(value, environmentId);
    if (!stored) return undefined;
    try {
      return openParameters(stored, { connectionId: id, environmentId }, this.#box);
    } catch (cause) {
      if (!(cause instanceof SecretUnreadable)) throw cause;
      throw fault('connection.secrets-unreadable', { name: value.name }, [], { cause });
    }
  }

  /** The same for who changes them: secrets that can not be read any more are masked, and have to be given anew. */
  openReadable(connection: Stored<StoredConnection>, environmentId: string): ParameterSet | undefined {
    try {
      return this.open(connection, environmentId);
    } catch (error) {
      if (!(error instanceof Fault && error.key === 'connection.secrets-unreadable')) throw error;
      return maskedParameters(storedParameters(connection.value, environmentId)!);
    }
  }
}
