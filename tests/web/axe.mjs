// axe, which checks the accessibility of a page.
import { AxeBuilder } from "@axe-core/playwright";

/** Lighthouse also checks the size of targets, which axe leaves out by default. */
const TARGET_SIZE = { "target-size": { enabled: true } };

/**
 * What violates axe's rules in the page or, with `within`, in the elements of a selector: each rule, and the elements that
 * violate it.
 *
 * By default, axe describes every element for every rule, also where nothing is wrong, and puts the results together in a
 * second page. That takes longer than the rules themselves. Here it describes only what is wrong, in the page itself. It
 * can't look into frames of other origins then, which these pages don't have. It preloads nothing: only rules that are off need the
 * style sheets.
 */
export async function violations(page, { within, targetSize = false } = {}) {
  const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"], preload: false, rules: targetSize ? TARGET_SIZE : {} }).setLegacyMode();
  const { violations } = await (within ? axe.include(within) : axe).analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" ")}`);
}
