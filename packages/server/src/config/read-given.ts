import { nearestName } from '../lib/nearest-name.ts'
import { CLIENT_SETTINGS, flagOf, LATER_SETTINGS, SETTINGS } from './settings.ts'

export interface Given {
  /** By variable name; `source` is what the user wrote it as, for messages. */
  readonly values: ReadonlyMap<string, { readonly raw: string; readonly source: string }>
  readonly problems: readonly string[]
}

const NAMES = SETTINGS.map((setting) => setting.name)
const NAME_BY_FLAG = new Map([...NAMES, ...LATER_SETTINGS].map((name) => [flagOf(name), name]))

/**
 * What the user set, by name: a flag wins over the variable. Names nobody knows are problems, with the nearest known one:
 * a misspelt setting is never silently the default. An empty variable counts as not set.
 */
export function readGiven(env: Readonly<Record<string, string | undefined>>, args: readonly string[]): Given {
  const values = new Map<string, { raw: string; source: string }>()
  const problems: string[] = []
  const take = (name: string, raw: string, source: string) => {
    if (LATER_SETTINGS.includes(name)) problems.push(`${source} is not available in this version yet`)
    else values.set(name, { raw, source })
  }
  for (const [name, raw] of Object.entries(env)) {
    if (!name.startsWith('SPOOR_') || raw === undefined || raw === '') continue
    if (CLIENT_SETTINGS.some((known) => known === name)) continue
    if (NAMES.some((known) => known === name) || LATER_SETTINGS.includes(name)) take(name, raw, name)
    else problems.push(unknown(name, 'variable', [...NAMES, ...CLIENT_SETTINGS]))
  }
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? ''
    const [flag = '', ...inline] = argument.split('=')
    const name = NAME_BY_FLAG.get(flag)
    if (name === undefined) {
      problems.push(
        flag.startsWith('-') ? unknown(flag, 'flag', NAMES.map(flagOf)) : `${JSON.stringify(argument)} is not a flag`,
      )
      // The value of an unknown flag is not a second problem.
      if (flag.startsWith('-') && inline.length === 0 && isValue(args[index + 1])) index++
      continue
    }
    const raw = inline.length > 0 ? inline.join('=') : isValue(args[index + 1]) ? args[++index] : undefined
    if (raw === undefined) problems.push(`${flag} needs a value`)
    else take(name, raw, flag)
  }
  return { values, problems }
}

function isValue(argument: string | undefined): boolean {
  return argument !== undefined && !argument.startsWith('--')
}

function unknown(name: string, kind: 'variable' | 'flag', known: readonly string[]): string {
  const nearest = nearestName(name, known)
  return `${name} is not a ${kind} of Spoor${nearest === null ? '' : `; did you mean ${nearest}?`}`
}
