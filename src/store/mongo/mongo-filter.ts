import type { Filter as MongoQuery, Sort, UpdateFilter } from 'mongodb';
import type { Change, Condition, Filter, ListQuery } from '../contract.ts';
import { assertPlainName } from '../member-names.ts';
import { encoded, type MongoDocument } from './mongo-documents.ts';

export function memberPath(member: string): string {
  assertPlainName(member);
  return member === 'id' ? '_id' : `doc.${member}`;
}

export function mongoQuery<Value>(where: Filter<Value>): MongoQuery<MongoDocument> {
  return Object.fromEntries(
    Object.entries(where)
      .filter((entry): entry is [string, Condition] => entry[1] !== undefined)
      .map(([member, condition]) => [memberPath(member), mongoCondition(condition)]),
  );
}

function mongoCondition(condition: Condition): object {
  // For MongoDB a member that is not there equals null, which is what the contract wants.
  if (condition === null || typeof condition !== 'object') return { $eq: condition };
  if ('in' in condition) return { $in: condition.in };
  if ('not' in condition) return { $ne: condition.not };
  if ('contains' in condition) return { $regex: literalPattern(condition.contains), $options: 'i' };
  if ('exists' in condition) return condition.exists ? { $ne: null } : { $eq: null };
  const { above, atLeast, below, atMost } = condition;
  return withoutUndefined({ $gt: above, $gte: atLeast, $lt: below, $lte: atMost });
}

export function mongoSort<Value>(orderBy: ListQuery<Value>['orderBy']): Sort {
  const direction = orderBy?.descending ? -1 : 1;
  return orderBy && orderBy.member !== 'id'
    ? { [memberPath(orderBy.member)]: direction, _id: direction }
    : { _id: direction };
}

export function mongoUpdate<Value>({
  set = {},
  unset = [],
  increment = {},
}: Change<Value>): UpdateFilter<MongoDocument> {
  return {
    $inc: { revision: 1, ...atPaths(increment) },
    ...ifAny('$set', atPaths(encoded(set) as object)),
    ...ifAny('$unset', atPaths(Object.fromEntries(unset.map((member) => [member, true])))),
  };
}

function ifAny(operator: string, members: object): object {
  return Object.keys(members).length > 0 ? { [operator]: members } : {};
}

function atPaths(members: object): Record<string, never> {
  return Object.fromEntries(
    Object.entries(withoutUndefined(members)).map(([member, value]) => {
      assertPlainName(member);
      return [`doc.${member}`, value as never];
    }),
  );
}

function withoutUndefined(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function literalPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|#\s-]/g, '\\$&');
}
