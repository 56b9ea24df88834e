/** [Q1] Names for tasks that were given none: short, because agents pay for tokens, and easy to tell apart. */
const words = (
  "alder amber anise arrow aspen badge basil beech birch bison brook cedar cider clove comet coral crane daisy delta dune " +
  "eagle ember fable fern finch flint fjord frost gecko ginger grove hazel heron holly iris ivory jade juniper kelp kite " +
  "lark laurel lemon lilac linden lotus lynx maple marten mint moss nettle nova oak olive onyx orchid otter owl pearl pine " +
  "plum poppy quail quartz raven reed robin rowan sable sage salmon sparrow spruce stork swift tansy teal thistle thyme " +
  "topaz tulip umber vetch viola walnut willow wren yarrow zinc"
).split(" ");

const word = () => words[Math.floor(Math.random() * words.length)]!;

/** To be tried in this order: a few plain words, then with numbers that grow until one is free. */
export function shortNames(): string[] {
  const names = Array.from({ length: 8 }, word);
  for (let digits = 100; digits <= 1e9; digits *= 10)
    for (let i = 0; i < 8; i++) names.push(`${word()}-${2 + Math.floor(Math.random() * digits)}`);
  return names;
}
