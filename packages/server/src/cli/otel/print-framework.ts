import type { Framework, Target } from './frameworks.ts'

/** Settings as lines to paste: variables first, then the lines of a program or a file. */
export function printFramework(framework: Framework, target: Target): string[] {
  const environment = framework.environment(target)
  const { lines } = framework
  return [
    `# ${framework.title}`,
    ...environment.map(([name, value]) => `export ${name}="${value}"`),
    ...(lines === null ? [] : ['', `# ${placeOf(lines, (command) => command)}`, ...lines.text(target).split('\n')]),
  ]
}

/** The same in a page of the guide, with the variables that the page sets. */
export function renderFramework(framework: Framework): string {
  const inShell = framework.environment({ url: '$SPOOR_URL', key: '$SPOOR_API_KEY' })
  const { lines } = framework
  const target = { url: 'http://127.0.0.1:4319', key: 'spoor_…' }
  const blocks = []
  if (inShell.length > 0) blocks.push(['```', ...inShell.map(([name, value]) => `export ${name}="${value}"`), '```'])
  if (lines !== null) {
    const place = placeOf(lines, (command) => `\`${command}\``)
    blocks.push([`${place.charAt(0).toUpperCase()}${place.slice(1)}:`])
    blocks.push([`\`\`\`${lines.language}`, lines.text(target), '```'])
  }
  return blocks.map((block) => block.join('\n')).join('\n\n')
}

function placeOf({ place, install }: Lines, quote: (command: string) => string): string {
  return install === null ? place : `${place}, after ${quote(install)}`
}

type Lines = NonNullable<Framework['lines']>
