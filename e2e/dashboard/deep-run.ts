const idOf = (level: number) => `st_01m80dfxvwess9n0khv8vpcyd${level}`
const inside = (level: number, name: string, id?: string) => ({ id, name, parent_step_id: idOf(level) })
const several = (level: number, name: string, count: number) =>
  Array.from({ length: count }, (_, n) => inside(level, `${name} ${n}`))

/** Steps on seven levels: the calls are within level 5, and the others within level 0. */
export const DEEP_RUN = {
  name: 'deep run',
  steps: [
    { id: idOf(0), name: 'level 0' },
    ...several(0, 'before', 20),
    ...[1, 2, 3, 4, 5].map((level) => inside(level - 1, `level ${level}`, idOf(level))),
    ...several(5, 'call', 60),
    ...several(0, 'behind', 40),
  ],
}
