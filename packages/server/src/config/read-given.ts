import { nearestName } from '../lib/validation/nearest-name.ts'
import { CLIENT_SETTINGS, flagOf, SETTINGS } from './settings.ts'

export interface Given {
  /** Keyed by variable name. `source` is the spelling that the user typed, for error messages. */
  readonly values: ReadonlyMap<string, { readonly raw: string; readonly source: string }>
  readonly problems: readonly string[]
  /** Variables that are not the service's and look like a misspelt setting. */
  readonly warnings: readonly string[]
}

const NAMES = SETTINGS.map((setting) => setting.name)
const PREFIX = 'SPOOR_'
/** Without the prefix that all of them share, which does not help to find the intended one. */
const VARIABLES = [...NAMES, ...CLIENT_SETTINGS].map((name) => name.slice(PREFIX.length))
const NAME_BY_FLAG = new Map(NAMES.map((name) => [flagOf(name), name]))
const ENVIRONMENT_ONLY = new Set<string>(SETTINGS.filter((one) => one.environmentOnly).map(({ name }) => name))

/**
 * What the user set, by name; a flag overrides its variable. An unknown flag is a problem. An unknown variable is not,
 * because other programs may use the same prefix; if it looks like a misspelt setting, it is a warning. An empty
 * variable counts as not set.
 */
export function readGiven(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Given {
  const values = new Map<string, { raw: string; source: string }>()
  const problems: string[] = []
  const warnings: string[] = []
  for (const [name, raw] of Object.entries(env)) {
    if (!name.startsWith(PREFIX) || raw === undefined || raw === '') continue
    if (CLIENT_SETTINGS.some((known) => known === name)) continue
    if (NAMES.some((known) => known === name)) values.set(name, { raw, source: name })
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
    else if (ENVIRONMENT_ONLY.has(name)) {
      problems.push(
        `${flag} is no flag: set ${name} in the environment, because every user can see the flags of a process`,
      )
    } else values.set(name, { raw, source: flag })
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
