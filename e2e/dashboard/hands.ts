import type { Locator, Page } from 'playwright-core'
import type { Service } from '../lib/service.ts'

/** Counts clicks and key presses. Typing or pasting one text counts once. */
export class Hands {
  readonly page: Page
  moves = 0

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.moves++
    await target.click()
  }

  async press(key: string): Promise<void> {
    this.moves++
    await this.page.keyboard.press(key)
  }

  async type(target: Locator, text: string): Promise<void> {
    this.moves++
    await target.fill(text)
  }

  async choose(target: Locator, option: string): Promise<void> {
    this.moves++
    await target.selectOption(option)
  }
}

export interface Task {
  readonly what: string
  /** Clicks and keys, from the list of traces. */
  readonly most: number
  run(hands: Hands, page: Page, service: Service): Promise<void>
}

export const row = (page: Page, name: string) => page.getByRole('table', { name: 'Traces' }).getByRole('link', { name })
export const details = (page: Page) => page.getByRole('complementary', { name: 'Details' })
