//! Pixels of image files, against those that Pillow 13.0.0 finds in the same files (libpng and libjpeg-turbo).

use crate::gltf_data::{cases, error_codes, with_file};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use scene_document::gltf::{Limits, read};
use scene_document::{Image, ImageError, MediaType};

/// IDCT, upsampling and colour conversion of two decoders differ by their rounding.
const JPEG_STEPS: u8 = 2;

/// What a file holds, the file in base64, its RGBA in hex. Pillow wrote them, 5 × 3 and 9 × 6 pixels.
const FILES: [(&str, &str, &str); 15] = [
    (
        "grey of 1 bit",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADAQAAAABzTfhVAAAADklEQVR42mNgYOBg+AEAARYBAaNFyXkAAAAASUVORK5CYII=",
        "000000ff000000ff000000ff000000ff000000ff000000ff000000ff000000ff000000ffffffffffffffffffffffffffffff\
         ffffffffffffffffffff",
    ),
    (
        "grey of 8 bits",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAAAAAB+XZokAAAAGklEQVR42mPU4+Ti5GRR4eTk5GRR5uTk5AQACVoA7OEMj+wAAAAA\
         SUVORK5CYII=",
        "2e2e2eff373737ff414141ff4a4a4aff535353ff525252ff5b5b5bff646464ff6d6d6dff767676ff757575ff7e7e7eff8787\
         87ff909090ff999999ff",
    ),
    (
        "grey and alpha",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAQAAADxPw1zAAAAHUlEQVR42mPU+8/JwMXAycDJwKJyjpMBAlmU4UwAR+sDh81nOYcA\
         AAAASUVORK5CYII=",
        "2e2e2eff373737ff414141ff4a4a4aff535353ff525252cd5b5b5bcd646464cd6d6d6dcd767676cd7575759b7e7e7e9b8787\
         879b9090909b9999999b",
    ),
    (
        "RGB",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAIAAADUVFKvAAAAGElEQVR42mMUkTuhwfAcjlgYbBiQATofANeyBbhh6C2kAAAAAElF\
         TkSuQmCC",
        "141ec8ff3c1eafff641e96ff8c1e7dffb41e64ff145ac8ff3c5aafff645a96ff8c5a7dffb45a64ff1496c8ff3c96afff6496\
         96ff8c967dffb49664ff",
    ),
    (
        "RGB of which one colour is clear",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAIAAADUVFKvAAAABnRSTlMAFAAeAMh4wfIrAAAAGElEQVR42mMUkTuhwfAcjlgYbBiQ\
         ATofANeyBbhh6C2kAAAAAElFTkSuQmCC",
        "141ec8003c1eafff641e96ff8c1e7dffb41e64ff145ac8ff3c5aafff645a96ff8c5a7dffb45a64ff1496c8ff3c96afff6496\
         96ff8c967dffb49664ff",
    ),
    (
        "RGBA",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADCAYAAABbNsX4AAAAHUlEQVR42mMUkTvxX4PhOQMyZmGwYTjHgAawCgIAhjoIUx1pmRgA\
         AAAASUVORK5CYII=",
        "141ec8ff3c1eafff641e96ff8c1e7dffb41e64ff145ac8cd3c5aafcd645a96cd8c5a7dcdb45a64cd1496c89b3c96af9b6496\
         969b8c967d9bb496649b",
    ),
    (
        "a palette of 4",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADAgMAAAAmWC1rAAAADFBMVEWMln2MWn0oeLxkHpZcAzpTAAAAEUlEQVR42mPe/5DpGQPT\
         7wMAE4kESXwSqnkAAAAASUVORK5CYII=",
        "2878bcff641e96ff641e96ff641e96ff8c5a7dff2878bcff2878bcff8c5a7dff8c5a7dff8c5a7dff2878bcff2878bcff8c96\
         7dff8c967dff8c967dff",
    ),
    (
        "a palette with alpha",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADAgMAAAAmWC1rAAAADFBMVEWMln2MWn0oeLxkHpZcAzpTAAAABHRSTlMAZMj/0my3rQAA\
         ABFJREFUeNpj3v+Q6RkD0+8DABOJBEl8Eqp5AAAAAElFTkSuQmCC",
        "2878bcc8641e96ff641e96ff641e96ff8c5a7d642878bcc82878bcc88c5a7d648c5a7d648c5a7d642878bcc82878bcc88c96\
         7d008c967d008c967d00",
    ),
    (
        "grey of 16 bits",
        "iVBORw0KGgoAAAANSUhEUgAAAAUAAAADEAAAAAAuzUZnAAAAIElEQVR42mNk8FXWgEBmnvsSHyCQhXsHtwaPBs8DngcAht0Jj9oc\
         iLsAAAAASUVORK5CYII=",
        "000000ff232323ff464646ff696969ff8c8c8cff0c0c0cff2f2f2fff525252ff757575ff989898ff171717ff3a3a3aff5e5e\
         5eff818181ffa4a4a4ff",
    ),
    (
        "grey",
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoK\
         CgoKBggLDAsKDAkKCgr/wAALCAAGAAkBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EAB0QAAAFBQAAAAAAAAAAAAAAAAACBQaR\
         BxchIlL/2gAIAQEAAD8ANs6laZpkkBhaxO6JA//Z",
        "5b5b5bff5e5e5eff616161ff636363ff666666ff686868ff6c6c6cff6e6e6eff717171ff616161ff636363ff676767ff6969\
         69ff6c6c6cff6e6e6eff717171ff747474ff777777ff676767ff6a6a6aff6d6d6dff6f6f6fff727272ff747474ff787878ff\
         7a7a7aff7c7c7cff6d6d6dff6f6f6fff727272ff757575ff777777ff7a7a7aff7d7d7dff7f7f7fff828282ff737373ff7676\
         76ff797979ff7c7c7cff7e7e7eff808080ff848484ff868686ff888888ff787878ff7b7b7bff7e7e7eff808080ff838383ff\
         858585ff898989ff8b8b8bff8d8d8dff",
    ),
    (
        "YCbCr",
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoK\
         CgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoK\
         CgoKCgoKCgr/wAARCAAGAAkDAREAAhEBAxEB/8QAFAABAAAAAAAAAAAAAAAAAAAABv/EAB0QAAAFBQAAAAAAAAAAAAAAAAACBQaR\
         BxchIlL/xAAVAQEBAAAAAAAAAAAAAAAAAAAHBv/EABkRAAIDAQAAAAAAAAAAAAAAAAADBQYVIv/aAAwDAQACEQMRAD8ANs6laZpk\
         kBKu8w3ojqFPP4GFrE7okAT2GjzvPP/Z",
        "3b5bb2ff465bacff545aa4ff605a9aff6a5b94ff765a8aff855b83ff905a7cff9c5b73ff3d63b4ff4763adff5664a5ff6263\
         9cff6c6495ff78638cff866383ff91637fff9e6375ff3c6eb3ff476fadff556ea6ff616e9bff6b6f95ff776e8bff866e84ff\
         906e7eff9c6d75ff3b79b2ff4579abff5378a4ff60789aff697993ff76798aff847882ff8e787bff9b7874ff3b83b3ff4684\
         adff5583a4ff61839cff6a8493ff76838bff858482ff90837dff9c8273ff3d8ab4ff478baeff578aa5ff618a9cff6d8b95ff\
         778b8cff868b84ff918b7fff9c8a74ff",
    ),
    (
        "YCbCr, colours at half the resolution",
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoK\
         CgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoK\
         CgoKCgoKCgr/wAARCAAGAAkDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAdEAABAwUBAAAAAAAAAAAAAAAAAgWR\
         BgcXISJS/8QAFQEBAQAAAAAAAAAAAAAAAAAAAQT/xAAdEQAABgMBAAAAAAAAAAAAAAAAAQQVIkECBQYH/9oADAMBAAIRAxEAPwCb\
         o61bZxtEFhixu9IgAs7xarezmdh882K1hxmdD//Z",
        "3c5badff435daaff525ca3ff5c5c9aff6a5b92ff755b8aff825c85ff8b5c7cff975c78ff3f63afff4664acff5564a5ff5f64\
         9cff6d6395ff78638cff856386ff8f647fff99657bff406daeff476facff556ea4ff606e9bff6e6e94ff786d8bff856f86ff\
         8f6f7eff986e78ff4077afff4678a9ff5577a4ff60789aff6d7693ff79778cff847884ff8e777dff987977ff4181afff4883\
         abff5682a5ff61839cff6f8195ff79818cff878286ff90827fff998376ff4388b1ff4a8aaeff5889a7ff63899eff718896ff\
         7b888eff898989ff928980ff9c897aff",
    ),
    (
        "progressive",
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAIBAQEBAQIBAQECAgICAgQDAgICAgUEBAMEBgUGBgYFBgYGBwkIBgcJBwYGCAsICQoK\
         CgoKBggLDAsKDAkKCgr/2wBDAQICAgICAgUDAwUKBwYHCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoKCgoK\
         CgoKCgoKCgr/wgARCAAGAAkDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAVAQEBAAAAAAAAAAAAAAAAAAAAA//a\
         AAwDAQACEAMQAAABm2Cz/8QAGBAAAgMAAAAAAAAAAAAAAAAAAAMEBRX/2gAIAQEAAQUCh1SzLWf/xAAaEQAABwAAAAAAAAAAAAAA\
         AAAAAQMEBhQh/9oACAEDAQE/AY84WoFo/8QAGBEAAgMAAAAAAAAAAAAAAAAAAAMFFDH/2gAIAQIBAT8BnnNu6f/EABQQAQAAAAAA\
         AAAAAAAAAAAAABD/2gAIAQEABj8CP//EABgQAAIDAAAAAAAAAAAAAAAAAAABITFh/9oACAEBAAE/IYNGyP/aAAwDAQACAAMAAAAQ\
         B//EABYRAAMAAAAAAAAAAAAAAAAAAAAxQf/aAAgBAwEBPxB8w//EABcRAAMBAAAAAAAAAAAAAAAAAAARIUH/2gAIAQIBAT8Qb3p/\
         /8QAFxABAAMAAAAAAAAAAAAAAAAAAEGR8f/aAAgBAQABPxCbqzX/2Q==",
        "3c5badff435daaff525ca3ff5c5c9aff6a5b92ff755b8aff825c85ff8b5c7cff975c78ff3f63afff4664acff5564a5ff5f64\
         9cff6d6395ff78638cff856386ff8f647fff99657bff406daeff476facff556ea4ff606e9bff6e6e94ff786d8bff856f86ff\
         8f6f7eff986e78ff4077afff4678a9ff5577a4ff60789aff6d7693ff79778cff847884ff8e777dff987977ff4181afff4883\
         abff5682a5ff61839cff6f8195ff79818cff878286ff90827fff998376ff4388b1ff4a8aaeff5889a7ff63899eff718896ff\
         7b888eff898989ff928980ff9c897aff",
    ),
    (
        "RGB",
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYHCQcGBggLCAkKCgoK\
         CgYICwwLCgwJCgoK/8AAEQgABgAJA1IRAEcRAEIRAP/EABcAAAMBAAAAAAAAAAAAAAAAAAAHCAX/xAAeEAABAgcBAAAAAAAAAAAA\
         AAAAAwYIGERSgZLhgv/aAAwDUgBHAEIAAD8AS8ElJ5MSXBv3Ja8HBElUZLYCXBv3Ja8JvP/Z",
        "3c5ab4ff485aacff545aa4ff5f5a9cff6d5a94ff785a8cff845a84ff905a7cff9c5a74ff3c65b4ff4865acff5465a4ff5f65\
         9cff6d6594ff78658cff846584ff90657cff9c6574ff3c6db4ff486dacff546da4ff5f6d9cff6d6d94ff786d8cff846d84ff\
         906d7cff9c6d74ff3c79b4ff4879acff5479a4ff5f799cff6d7994ff78798cff847984ff90797cff9c7974ff3c82b4ff4882\
         acff5482a4ff5f829cff6d8294ff78828cff848284ff90827cff9c8274ff3c8cb4ff488cacff548ca4ff5f8c9cff6d8c94ff\
         788c8cff848c84ff908c7cff9c8c74ff",
    ),
    (
        "CMYK",
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwACAQEBAQECAQEBAgICAgIEAwICAgIFBAQDBAYFBgYGBQYGBgcJCAYHCQcGBggLCAkKCgoK\
         CgYICwwLCgwJCgoK/8AAFAgABgAJBEMRAE0RAFkRAEsRAP/EABYAAQEBAAAAAAAAAAAAAAAAAAgACf/EACAQAAEDAgcAAAAAAAAA\
         AAAAAAABBAZS0QgYGUSBkpP/2gAOBEMATQBZAEsAAD8A0gxbbrk0C1Hp/Q69EuGfCTteBk51pfQ47pcJZaj0/odeiXFoWdaX0OO6\
         XP/Z",
        "cfe131ffc7e139ffbee142ffb5e14bfface154ffa3e15dff9ae165ff92e16eff89e177ffc2c22dffb9c236ffb1c23effa9c2\
         46ffa1c24eff98c256ff90c25fff88c267ff80c26fffb4a42affaca432ffa4a439ff9da441ff95a449ff8da450ff86a458ff\
         7ea460ff77a467ffa68a27ff9f8a2eff988a35ff918a3cff8a8a43ff838a4aff7c8a51ff748a58ff6d8a5fff997224ff9272\
         2aff8c7231ff857237ff7f723eff787244ff72724bff6b7251ff657258ff895b20ff835b26ff7e5b2cff785b32ff725b38ff\
         6c5b3dff665b43ff605b49ff5b5b4fff",
    ),
];

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.chars().map(|digit| digit.to_digit(16).unwrap() as u8).collect();
    digits.as_chunks::<2>().0.iter().map(|[high, low]| high * 16 + low).collect()
}

fn files() -> impl Iterator<Item = (&'static str, Vec<u8>, Vec<u8>)> {
    FILES.iter().map(|(what, base64, rgba)| (*what, STANDARD.decode(base64).unwrap(), hex(rgba)))
}

fn jpegs() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    files().map(|(what, bytes, _)| (what, bytes)).filter(|(_, bytes)| bytes.starts_with(b"\xFF\xD8"))
}

#[test]
fn pixels_are_those_that_pillow_finds() {
    for (what, bytes, rgba) in files() {
        let image = Image::new(bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        let (size_px, most) = match image.media_type() {
            MediaType::Png => ([5, 3], 0),
            MediaType::Jpeg => ([9, 6], JPEG_STEPS),
        };
        assert_eq!(image.size_px(), size_px, "{what}");
        let pixels = image.rgba8().unwrap();
        assert_eq!(pixels.len(), rgba.len(), "{what}");
        let furthest = pixels.iter().zip(&rgba).map(|(ours, theirs)| ours.abs_diff(*theirs)).max();
        assert!(furthest <= Some(most), "{what}: a channel is {furthest:?} of 255 away");
        assert_eq!(image.rgba8().unwrap(), pixels, "{what}: the same file is the same pixels");
    }
}

#[test]
fn a_jpeg_is_whole_or_refused() {
    for (what, bytes) in jpegs() {
        for end in 2..bytes.len() {
            let cut = Image::new(bytes[..end].to_vec());
            assert!(matches!(cut, Err(ImageError::Broken { .. })), "{what} cut at {end}: {cut:?}");
        }
    }
}

#[test]
fn any_byte_of_a_jpeg_may_be_wrong() {
    for (_, bytes) in jpegs() {
        for place in 2..bytes.len() {
            for wrong in [0, 0x7F, 0xFF] {
                let mut bytes = bytes.clone();
                bytes[place] = wrong;
                // Another image or a refusal; a panic would fail here.
                drop(Image::new(bytes));
            }
        }
    }
}

#[test]
fn kinds_of_jpeg_that_are_not_read_are_named() {
    let (_, grey) = jpegs().next().unwrap();
    let frame = grey.windows(2).position(|marker| marker == [0xFF, 0xC0]).unwrap();
    let mut arithmetic = grey.clone();
    arithmetic[frame + 1] = 0xC9;
    let refused = Image::new(arithmetic).unwrap_err();
    assert!(matches!(refused, ImageError::Unsupported { media_type: MediaType::Jpeg, .. }), "{refused}");
    assert!(refused.to_string().contains("Arithmetic"), "{refused}");
}

/// All PNG and JPEG images that textures of real files show.
#[test]
#[ignore = "needs MAQUETTE_DATA"]
fn images_of_real_files_have_pixels() {
    let mut found = [0, 0];
    for case in cases("3d/gltf", ".validator.json") {
        let Ok(import) = with_file(&case.path, |bytes, resolve| read(bytes, resolve, &Limits::default())) else {
            continue;
        };
        if !error_codes(&import.issues).is_empty() {
            continue;
        }
        let source = import.scene.source().map(AsRef::as_ref);
        for image in import.scene.textures().values().filter_map(|texture| texture.image(source)) {
            let pixels = image.rgba8().unwrap_or_else(|error| panic!("{}: {error}", case.path.display()));
            let [width, height] = image.size_px();
            assert_eq!(pixels.len(), width as usize * height as usize * 4);
            found[usize::from(image.media_type() == MediaType::Jpeg)] += 1;
        }
    }
    let [png, jpeg] = found;
    println!("{png} PNG and {jpeg} JPEG images");
    assert!(png > 5 && jpeg > 3);
}
