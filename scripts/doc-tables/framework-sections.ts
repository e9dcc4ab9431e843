import { EXPORTER, type Framework, FRAMEWORKS } from '../../packages/server/src/cli/connect/frameworks.ts'
import { exported, filled, placeOf, type Target } from '../../packages/server/src/cli/connect/print-framework.ts'

const IN_SHELL: Target = { url: '$SPOOR_URL', key: '$SPOOR_API_KEY' }
const IN_FILES: Target = { url: 'http://127.0.0.1:4319', key: 'spoor_…' }

/** All of them as sections of a page of the guide, which has the variables of exporters at its beginning. */
export function frameworkSections(): string {
  return FRAMEWORKS.map(frameworkSection).join('\n\n')
}

function frameworkSection({ name, title, environment, lines }: Framework): string {
  const takesExporter = EXPORTER.every((line) => environment.includes(line))
  const own = takesExporter ? environment.filter((line) => !EXPORTER.includes(line)) : environment
  const place = lines === null ? '' : placeOf(lines, (command) => `\`${command}\``)
  const what = [
    ...(takesExporter ? ['the three variables'] : []),
    ...(own.length > 0 ? ['these variables'] : []),
    ...(lines === null ? [] : [`lines ${place}`]),
  ].join(', and ')
  return [
    `### ${title}`,
    `\`npx spoor connect ${name}\` prints ${what}.`,
    ...(own.length > 0 ? [['```', ...exported(own, IN_SHELL), '```'].join('\n')] : []),
    ...(lines === null ? [] : [[`\`\`\`${lines.language}`, filled(lines.text, IN_FILES), '```'].join('\n')]),
  ].join('\n\n')
}
