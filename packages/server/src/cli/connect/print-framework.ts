import type { Framework, Lines } from './frameworks.ts'

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

export function exported(environment: readonly string[], target: Target): string[] {
  return environment.map((line) => `export ${filled(line, target).replace(/=(.*)/, '="$1"')}`)
}

export function filled(text: string, { url, key }: Target): string {
  return text.replaceAll('{url}', () => url).replaceAll('{key}', () => key)
}

export function placeOf({ place, install }: Lines, quote: (command: string) => string): string {
  return install === null ? place : `${place}, after ${quote(install)}`
}
