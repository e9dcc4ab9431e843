import { formatCount } from './format-number.ts'

/** How many steps of a run failed although the run is ok. */
export function recoveredWords(count: number): string {
  return `${formatCount(count)} failed ${count === 1 ? 'step' : 'steps'}, recovered`
}
