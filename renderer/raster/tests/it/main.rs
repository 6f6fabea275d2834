mod coverage;
mod degenerate;
mod determinism;
mod light;
mod picture;
mod raster;
mod scenes;
