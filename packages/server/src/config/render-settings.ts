import { flagOf, SETTINGS, type Setting } from './settings.ts'

/** The flags of `spoor serve` for `--help`, and the variables of settings without one. */
export function renderConfigHelp(): string {
  const nameOf = ({ name, environmentOnly }: Setting) => (environmentOnly ? name : flagOf(name))
  const flagWidth = Math.max(...SETTINGS.map((setting) => nameOf(setting).length))
  return SETTINGS.map((setting) => {
    const shown = defaultOf(setting)
    return `  ${nameOf(setting).padEnd(flagWidth)}  ${meaningOf(setting)}${shown === '' ? '' : ` [${shown}]`}`
  }).join('\n')
}

export function defaultOf(setting: Setting): string {
  return 'default' in setting ? String(setting.default) : ''
}

export function meaningOf(setting: Setting): string {
  switch (setting.type) {
    case 'integer':
      return `${setting.description}; ${setting.minimum} to ${setting.maximum}`
    case 'choice':
      return `${setting.description}; ${setting.choices.join(', ')}`
    case 'text':
    case 'origin':
    case 'url':
    case 'urls':
    case 'ranges':
    case 'hosts':
    case 'secret':
      return setting.description
  }
}
