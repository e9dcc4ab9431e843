import { nearestName } from '../lib/validation/nearest-name.ts'
import { CLIENT_SETTINGS, flagOf, LATER_SETTINGS, SETTINGS } from './settings.ts'

export interface Given {
  /** By variable name. `source` is the name as the user wrote it, for messages. */
  readonly values: ReadonlyMap<string, { readonly raw: string; readonly source: string }>
  readonly problems: readonly string[]
  /** Variables that are not the service's and look like a misspelt setting. */
  readonly warnings: readonly string[]
}

const NAMES = SETTINGS.map((setting) => setting.name)
const PREFIX = 'SPOOR_'
/** Without the prefix that all of them share, which does not help to find the intended one. */
const VARIABLES = [...NAMES, ...CLIENT_SETTINGS].map((name) => name.slice(PREFIX.length))
const NAME_BY_FLAG = new Map([...NAMES, ...LATER_SETTINGS].map((name) => [flagOf(name), name]))

/**
 * What the user set, by name; a flag overrides its variable. An unknown flag is a problem. An unknown variable is not,
 * because other programs may use the same prefix; if it looks like a misspelt setting, it is a warning. An empty
 * variable counts as not set.
 */
export function readGiven(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Given {
  const values = new Map<string, { raw: string; source: string }>()
  const problems: string[] = []
  const warnings: string[] = []
  const take = (name: string, raw: string, source: string) => {
    if (LATER_SETTINGS.includes(name)) problems.push(`${source} is not available in this version yet`)
    else values.set(name, { raw, source })
  }
  for (const [name, raw] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || raw === undefined || raw === '') continue
    if (CLIENT_SETTINGS.some((known) => known === name)) continue
    if (NAMES.some((known) => known === name) || LATER_SETTINGS.includes(name)) take(name, raw, name)
    else {
      const nearest = nearestName(name.slice(PREFIX.length), VARIABLES)
      if (nearest !== null) {
        warnings.push(`${name} is not a variable of Spoor and is ignored; did you mean ${PREFIX}${nearest}?`)
      }
    }
  }
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ''
    const [flag = '', ...inline] = argument.split('=')
    const name = NAME_BY_FLAG.get(flag)
    if (name === undefined) {
      problems.push(flag.startsWith('-') ? unknownFlag(flag) : `${JSON.stringify(argument)} is not a flag`)
      // The value of an unknown flag is not a second problem.
      if (flag.startsWith('-') && inline.length === 0 && isValue(args[index + 1])) index++
      continue
    }
    const raw = inline.length > 0 ? inline.join('=') : isValue(args[index + 1]) ? args[++index] : undefined
    if (raw === undefined) problems.push(`${flag} needs a value`)
    else take(name, raw, flag)
  }
  return { values, problems, warnings }
}

function isValue(argument: string | undefined): boolean {
  return argument !== undefined && !argument.startsWith('--')
}

function unknownFlag(flag: string): string {
  const nearest = nearestName(flag, NAMES.map(flagOf))
  return `${flag} is not a flag of Spoor${nearest === null ? '' : `; did you mean ${nearest}?`}`
}
