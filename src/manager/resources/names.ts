import { fault } from '../../kernel/faults.ts';
import { isName, NAME_RULE } from '../../model/name.ts';

/** The name, when it is one that people and paths can carry. */
export function checkedName(name: string): string {
  if (!isName(name)) throw fault('resource.name-invalid', { pointer: '/name', rule: NAME_RULE });
  return name;
}

/** Names stand in paths, permissions and references: they stay what they are. */
export function refuseRename(name: string, newName: string | undefined): void {
  if (newName !== undefined && newName !== name) throw fault('resource.renamed', { name, newName });
}
