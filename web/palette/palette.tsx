export const openPalette = (_text: string) => {};
export const Palette = () => null;
