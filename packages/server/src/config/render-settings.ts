import { flagOf, SETTINGS, type Setting } from './settings.ts'

/** The table in docs/operate/configuration.md, its columns padded as the formatter pads them. */
export function renderConfigTable(): string {
  const rows = [
    ['Variable', 'Flag', 'Default', 'Meaning'],
    ...SETTINGS.map((setting) => [
      `\`${setting.name}\``,
      setting.environmentOnly ? '' : `\`${flagOf(setting.name)}\``,
      defaultOf(setting) === '' ? '' : `\`${defaultOf(setting)}\``,
      meaningOf(setting),
    ]),
  ]
  const widths = columnWidths(rows)
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const [header = [], ...body] = rows
  return [line(header), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
}

/** The flags of `spoor serve` for `--help`, and the variables of settings without one. */
export function renderConfigHelp(): string {
  const nameOf = ({ name, environmentOnly }: Setting) => (environmentOnly ? name : flagOf(name))
  const flagWidth = Math.max(...SETTINGS.map((setting) => nameOf(setting).length))
  return SETTINGS.map((setting) => {
    const shown = defaultOf(setting)
    return `  ${nameOf(setting).padEnd(flagWidth)}  ${meaningOf(setting)}${shown === '' ? '' : ` [${shown}]`}`
  }).join('\n')
}

function defaultOf(setting: Setting): string {
  return 'default' in setting ? String(setting.default) : ''
}

function meaningOf(setting: Setting): string {
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

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  return (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
}
