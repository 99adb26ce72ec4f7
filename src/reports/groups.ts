import type { Group, GroupList } from '../events/query/groups/group.ts';
import { GROUPS, type GroupName } from '../events/query/groups/index.ts';

const listOf = (name: GroupName): GroupList | undefined => (GROUPS[name] as Group).list;

/** All values of `groupBy` that reports can show; of two names of a group, the first. */
export const SHOWN_GROUPS = (Object.keys(GROUPS) as GroupName[]).filter(
  (name, at, names) =>
    listOf(name) !== undefined && names.findIndex((one) => listOf(one) === listOf(name)) === at,
);

/** Returns the list of a group that reports can show. */
export const listIn = (name: GroupName): GroupList => listOf(name)!;
