import { setLatest } from '../../lib/set-latest.ts'
import type { ArgumentValue } from './find-origins.ts'

/** An argument comes from earlier steps if so large a share of so many values does. */
const USUAL_SHARE = 0.95
const LEAST_VALUES = 20
/** When an argument has so many values, both counts are halved: agents change. */
const MOST_VALUES = 1000
/** Arguments of a project, and characters of the name of one. */
const MOST_ARGUMENTS = 1000
const MOST_CHARS = 200

type Named = Pick<ArgumentValue, 'tool' | 'path'>

/** Which arguments of a project nearly always come from earlier in a run. */
export class UsualArguments {
  readonly #counts = new Map<string, { all: number; founded: number }>()

  count(value: Named & Pick<ArgumentValue, 'isFounded'>): void {
    const name = nameOf(value)
    if (name.length > MOST_CHARS) return
    const counts = this.#counts.get(name) ?? { all: 0, founded: 0 }
    setLatest(this.#counts, name, counts, MOST_ARGUMENTS)
    counts.all += 1
    if (value.isFounded) counts.founded += 1
    if (counts.all < MOST_VALUES) return
    counts.all /= 2
    counts.founded /= 2
  }

  has(argument: Named): boolean {
    const counts = this.#counts.get(nameOf(argument))
    return counts !== undefined && counts.all >= LEAST_VALUES && counts.founded >= USUAL_SHARE * counts.all
  }
}

/** All members of a list are values of one argument. */
function nameOf({ tool, path }: Named): string {
  return `${tool}\0${path.replace(/\/\d+(?=\/|$)/g, '/*')}`
}
