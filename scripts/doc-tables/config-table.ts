import { defaultOf, meaningOf } from '../../packages/server/src/config/render-settings.ts'
import { flagOf, SETTINGS } from '../../packages/server/src/config/settings.ts'
import { markdownTable } from './markdown-table.ts'

export function configTable(): string {
  return markdownTable([
    ['Variable', 'Flag', 'Default', 'Meaning'],
    ...SETTINGS.map((setting) => [
      `\`${setting.name}\``,
      setting.environmentOnly ? '' : `\`${flagOf(setting.name)}\``,
      defaultOf(setting) === '' ? '' : `\`${defaultOf(setting)}\``,
      meaningOf(setting),
    ]),
  ])
}
