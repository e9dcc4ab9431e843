import { EXPORTER, type Framework, type Lines } from './frameworks.ts'

/** Where a framework sends its traces, and with which key. */
export interface Target {
  /** Of the service, without a slash at its end. */
  readonly url: string
  readonly key: string
}

/** Settings as lines to paste: variables first, then the lines of a program or a file. */
export function printFramework({ title, environment, lines }: Framework, target: Target): string[] {
  return [
    `# ${title}`,
    ...exported(environment, target),
    ...(lines === null
      ? []
      : ['', `# ${placeOf(lines, (command) => command)}`, ...filled(lines.text, target).split('\n')]),
  ]
}

const IN_SHELL: Target = { url: '$SPOOR_URL', key: '$SPOOR_API_KEY' }
const IN_FILES: Target = { url: 'http://127.0.0.1:4319', key: 'spoor_…' }

/** All of them as sections of a page of the guide, which has the variables of exporters at its beginning. */
export function renderFrameworks(frameworks: readonly Framework[]): string {
  return frameworks.map(renderFramework).join('\n\n')
}

function renderFramework({ name, title, environment, lines }: Framework): string {
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

function exported(environment: readonly string[], target: Target): string[] {
  return environment.map((line) => `export ${filled(line, target).replace(/=(.*)/, '="$1"')}`)
}

function filled(text: string, { url, key }: Target): string {
  return text.replaceAll('{url}', () => url).replaceAll('{key}', () => key)
}

function placeOf({ place, install }: Lines, quote: (command: string) => string): string {
  return install === null ? place : `${place}, after ${quote(install)}`
}
