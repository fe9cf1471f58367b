import { Type } from 'typebox';
import type { ListQuery, MemberOf } from '../../store/contract.ts';

/** The page of a list, as every list takes it. */
export const pageParameters = {
  page: Type.Integer({ default: 0, minimum: 0, maximum: 1_000_000, description: 'from 0' }),
  size: Type.Integer({ default: 50, minimum: 1, maximum: 1000, description: 'rows of a page' }),
};

/** Page and order of a list that can be sorted by the given members. */
export function listParameters(sortable: readonly [string, ...string[]]) {
  const sort = Type.String({
    default: `${sortable[0]},asc`,
    pattern: `^(${sortable.join('|')})(,(asc|desc))?$`,
    description: `member and direction, such as \`${sortable[0]},desc\``,
  });
  return { ...pageParameters, sort };
}

export function pageOf({ page, size }: { page: number; size: number }): { offset: number; limit: number } {
  return { offset: page * size, limit: size };
}

/** The query of a list; the parameters were checked against its sortable members. */
export function listQueryOf<Value>({
  sort,
  ...page
}: {
  page: number;
  size: number;
  sort: string;
}): Pick<ListQuery<Value>, 'orderBy' | 'offset' | 'limit'> {
  const [member, direction] = sort.split(',');
  return {
    ...pageOf(page),
    orderBy: { member: member as MemberOf<Value>, descending: direction === 'desc' },
  };
}
